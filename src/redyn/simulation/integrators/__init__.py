"""Ways to step through time, one per file."""

METHODS = ("rkf45", "dopri5", "abm", "rk4", "euler", "taylor", "rosenbrock", "radau", "lsoda")
FIXED = ("rk4", "euler", "taylor")  # whose step is the user's
SCIPY = ("radau", "lsoda")
STIFF = ("rosenbrock", *SCIPY)  # for stiff robots
