"""From recursions to machine code: trace, lower, compile, keep, call."""
