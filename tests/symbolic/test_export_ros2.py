"""The package for ros2_control: compiled and run as far as that goes without ROS."""

import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import redyn
from commands import printed
from redyn.symbolic.export import export_c, export_ros2

CXX = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
CMAKE = shutil.which("cmake")
needs_compiler = pytest.mark.skipif(CXX is None, reason="no C++ compiler on this machine")
needs_cmake = pytest.mark.skipif(CXX is None or CMAKE is None, reason="no CMake on this machine")
STRICT = ["-std=c++17", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1"]
INTERFACE = Path(__file__).parents[1] / "data" / "ros2_interface"

DRIVER = """
#include <arm_dynamics/controller.hpp>
#include <cstdio>
#include <cstdlib>
#include "{controller}"

int main(int, char ** words)
{{
  arm::Controller made;
  made.on_init();
  made.node->parameters["mode"].text = words[1];
  made.node->parameters["kp"].row = std::vector<double>(arm::DOF, 100.0);
  made.node->parameters["kd"].row = std::vector<double>(arm::DOF, 20.0);
  made.state_interfaces_.resize(2 * arm::DOF);
  made.command_interfaces_.resize(arm::DOF);
  for (std::size_t i = 0; i < arm::DOF; ++i) {{
    made.state_interfaces_[2 * i].held = 0.1 * double(i + 1);
  }}
  if (made.on_configure({{}}) != arm::Controller::Answer::SUCCESS) return 2;
  if (made.on_activate({{}}) != arm::Controller::Answer::SUCCESS) return 3;
  for (std::size_t i = 0; i < arm::DOF; ++i) {{
    made.state_interfaces_[2 * i].held += 0.01;
    made.state_interfaces_[2 * i + 1].held = 0.2;
  }}
  made.update({{}}, {{}});
  for (const auto & command : made.command_interfaces_) std::printf("%.17g ", command.held);
  std::printf("\\n%s %s\\n", made.state_interface_configuration().names[1].c_str(),
    made.command_interface_configuration().names.back().c_str());
  return 0;
}}
"""


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout + done.stderr)[:3000]
    return done.stdout


@needs_compiler
@pytest.mark.parametrize("real", ["double", "float"])
def test_headers_pass_their_tests(tmp_path, real):
    robot = redyn.load("puma")
    export_ros2(robot, tmp_path, real=real, what="forward,jacobian,udu", name="Arm")
    for test in ("selftest", "law_test"):
        run(CXX, *STRICT, f"-I{tmp_path}/include", tmp_path / "test" / f"{test}.cpp", "-o", tmp_path / test)
        assert run(tmp_path / test).endswith("all agree\n")


@needs_compiler
@pytest.mark.parametrize("release", ["", "-DOLDER_RELEASE"])
def test_the_controller_gives_the_torques_of_the_robot(tmp_path, release):
    robot = redyn.load("puma")
    export_ros2(robot, tmp_path, name="arm")
    (tmp_path / "driver.cpp").write_text(DRIVER.format(controller=tmp_path / "src" / "controller.cpp"))
    given = [f"-I{tmp_path}/include", f"-I{INTERFACE}", *filter(None, [release])]
    run(CXX, *STRICT, *given, tmp_path / "driver.cpp", "-o", tmp_path / "driver")
    q, qd = 0.1 * np.arange(1, 7) + 0.01, np.full(6, 0.2)
    asked = 100 * -0.01 + 20 * -qd
    wanted = {"gravity": robot.gravity_torque(q) + asked, "inverse_dynamics": robot.inverse_dynamics(q, qd, asked)}
    for mode, tau in wanted.items():
        numbers, names = run(tmp_path / "driver", mode).splitlines()
        np.testing.assert_allclose([float(x) for x in numbers.split()], tau, atol=1e-11)
        assert names == "joint1/velocity joint6/effort"
    assert subprocess.run([tmp_path / "driver", "magic"]).returncode == 2


@needs_cmake
def test_cmake_builds_and_tests_the_package(tmp_path):
    export_ros2(redyn.load("two-link"), tmp_path / "package")
    run(CMAKE, "-S", tmp_path / "package", "-B", tmp_path / "build")
    run(CMAKE, "--build", tmp_path / "build")
    assert "100% tests passed, 0 tests failed out of 2" in run("ctest", "--test-dir", tmp_path / "build")


@needs_cmake
def test_cmake_builds_and_tests_plain_c(tmp_path):
    files = export_c(redyn.load("two-link"), "inverse", tmp_path, real="float", cmake=True)
    assert files[-1].name == "CMakeLists.txt"
    run(CMAKE, "-S", tmp_path, "-B", tmp_path / "build")
    run(CMAKE, "--build", tmp_path / "build")
    assert "100% tests passed" in run("ctest", "--test-dir", tmp_path / "build")


def test_files_name_the_robot(tmp_path):
    robot = redyn.load({**redyn.load("one-link").to_data()["description"], "name": 'x" */ & <é>'})
    written = export_ros2(robot, tmp_path)
    for file in (tmp_path / "package.xml", tmp_path / "controllers.xml"):
        ET.parse(file)
    assert not any("@" in path.read_text("utf-8").replace("you@example.com", "") for path in written)
    assert export_ros2(robot, tmp_path) == written  # replaced, since redyn wrote them
    (tmp_path / "package.xml").write_text("<mine/>")
    with pytest.raises(redyn.RedynError, match="exists and is not part of a package by redyn"):
        export_ros2(robot, tmp_path)


@needs_compiler
def test_names_of_joints_are_text(tmp_path):
    description = redyn.load("one-link").to_data()["description"]
    description["links"][0]["joint"]["name"] = 'a"\\n é'
    export_ros2(redyn.load(description), tmp_path, name="arm")
    program = "#include <arm_dynamics/dynamics.hpp>\n#include <cstdio>\nint main() { std::puts(arm::JOINTS[0]); }\n"
    (tmp_path / "main.cpp").write_text(program)
    run(CXX, *STRICT, f"-I{tmp_path}/include", tmp_path / "main.cpp", "-o", tmp_path / "main")
    assert run(tmp_path / "main") == 'a"\\n é\n'


def test_other_robots_and_options_are_refused(tmp_path):
    with pytest.raises(redyn.InputError, match="an actuator each; export plain C"):
        export_ros2(redyn.load("four-bar"), tmp_path)
    with pytest.raises(redyn.InputError, match="real: expected double or float"):
        export_ros2(redyn.load("two-link"), tmp_path, real="half")


def test_the_command(tmp_path):
    text = printed("export", "two-link", "--lang", "ros2", "--out", str(tmp_path / "arm"))
    assert "package.xml" in text
    assert "ctest" in text
