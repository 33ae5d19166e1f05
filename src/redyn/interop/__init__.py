"""redyn inside other packages: JAX and PyTorch. Each part needs its package, which is imported on first use.

functions.py   the functions of a robot, whatever the arrays are
source.py      what such a function runs: a task of a robot, differentiated any number of times
jax.py         inside JAX's own compiled code; elsewhere than on the CPU as operations of JAX
torch.py       as custom operations of PyTorch
"""
