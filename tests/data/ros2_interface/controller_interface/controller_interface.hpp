// The part of ROS 2's controller_interface that exported controllers use, declared as in its documentation, so that they
// can be compiled and run without ROS.
#ifndef CONTROLLER_INTERFACE_HPP
#define CONTROLLER_INTERFACE_HPP

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rclcpp {
struct Time {};
struct Duration {};
}  // namespace rclcpp

namespace rclcpp_lifecycle {
struct State {};
}  // namespace rclcpp_lifecycle

namespace controller_interface {

enum class CallbackReturn { SUCCESS, FAILURE, ERROR };
enum class return_type { OK, ERROR };
enum class interface_configuration_type { ALL, INDIVIDUAL, NONE };

struct InterfaceConfiguration {
  interface_configuration_type type;
  std::vector<std::string> names;
};

struct Parameter {
  std::string text;
  std::vector<double> row;
  std::string as_string() const { return text; }
  std::vector<double> as_double_array() const { return row; }
};

struct Node {
  std::map<std::string, Parameter> parameters;
  Parameter get_parameter(const std::string & name) const { return parameters.at(name); }
};

struct Loaned {
  double held = 0.0;
#ifdef OLDER_RELEASE
  double get_value() const { return held; }
  void set_value(double value) { held = value; }
#else
  std::optional<double> get_optional() const { return held; }
  bool set_value(double value)
  {
    held = value;
    return true;
  }
#endif
};

class ControllerInterface {
 public:
  virtual ~ControllerInterface() = default;
  virtual CallbackReturn on_init() = 0;
  virtual InterfaceConfiguration command_interface_configuration() const = 0;
  virtual InterfaceConfiguration state_interface_configuration() const = 0;
  virtual CallbackReturn on_configure(const rclcpp_lifecycle::State &) = 0;
  virtual CallbackReturn on_activate(const rclcpp_lifecycle::State &) = 0;
  virtual CallbackReturn on_deactivate(const rclcpp_lifecycle::State &) = 0;
  virtual return_type update(const rclcpp::Time &, const rclcpp::Duration &) = 0;

  std::shared_ptr<Node> get_node() { return node; }
  std::shared_ptr<Node> node = std::make_shared<Node>();
  std::vector<Loaned> state_interfaces_;
  std::vector<Loaned> command_interfaces_;

 protected:
  template <class T>
  void auto_declare(const std::string & name, const T & value);
};

template <>
inline void ControllerInterface::auto_declare(const std::string & name, const std::string & value)
{
  node->parameters.emplace(name, Parameter{value, {}});
}

template <>
inline void ControllerInterface::auto_declare(const std::string & name, const std::vector<double> & value)
{
  node->parameters.emplace(name, Parameter{"", value});
}

}  // namespace controller_interface

#endif
