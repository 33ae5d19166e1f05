#define PLUGINLIB_EXPORT_CLASS(Derived, Base) \
  static_assert(std::is_base_of<Base, Derived>::value, "a plugin derives from its base");
