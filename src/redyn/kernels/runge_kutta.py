"""The classic Runge-Kutta method of order four, as data for all that step with it.

Stage j is evaluated at the start of the step plus REACH[j] h times the rate of the stage before; the step is the mean
of the four rates with the weights WEIGHT.
"""

REACH, WEIGHT = (0.0, 0.5, 0.5, 1.0), (1 / 6, 1 / 3, 1 / 3, 1 / 6)
