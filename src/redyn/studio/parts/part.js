// The one component that NiceGUI knows: it mounts a module of ours and hands calls to it, in the order they came.
// A module exports mount(element, options, tell) and returns an object whose methods the server may call.
export default {
  template: '<div><div ref="inside"></div></div>', // the outer one's class is Vue's, which would take ours away
  props: { source: String, options: Object },
  mounted() {
    this.part = import(this.source).then((module) =>
      module.mount(this.$refs.inside, this.options ?? {}, (name, value) => this.$emit("tell", { name, value })),
    );
  },
  unmounted() {
    this.part.then((part) => part?.dispose?.());
  },
  methods: {
    async call(name, ...values) {
      const part = await this.part;
      return part[name](...values);
    },
  },
};
