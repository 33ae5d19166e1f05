"""redyn compared with Pinocchio and MuJoCo on any robot, and the adapters to both."""
