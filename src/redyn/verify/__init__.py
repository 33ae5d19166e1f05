"""redyn against its oracles, on any robot."""
