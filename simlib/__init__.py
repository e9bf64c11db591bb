"""The engine: distributed training, simulated with one NumPy array per GPU.

Pure functions and frozen dataclasses. Nothing here prints, opens a file, reads a clock or draws
an unseeded random number. Importing `simlib` imports no NumPy: the modules that hold closed-form
figures (`simlib.zero`, `simlib.quantities`, …) need only `math`.
"""
