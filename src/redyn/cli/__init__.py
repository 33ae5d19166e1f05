"""The `redyn` command: one thin file per subcommand."""
