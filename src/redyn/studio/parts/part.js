// The one component registered with NiceGUI: it mounts one of our modules and forwards calls to it, in order.
// A module exports mount(element, options, emit) and returns an object whose methods the server may call.
export default {
  template: '<div><div ref="inside"></div></div>', // Vue owns the outer class attribute and would remove ours
  props: { source: String, options: Object },
  mounted() {
    this.part = import(this.source).then((module) =>
      module.mount(this.$refs.inside, this.options ?? {}, (name, value) => this.$emit("part", { name, value })),
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
