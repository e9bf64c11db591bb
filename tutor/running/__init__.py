"""A worker's program for real: the file of a `*_worker` exercise, unchanged, on processes that talk over MPI or gloo.

engines     which there are, what each needs, and whether an outside launcher (mpiexec, torchrun) has started us
launch      starts one process for each worker on this machine, and ends them all
rank        the life of one such process; `worker` is what its program is given, `mpi` and `torch` carry its calls
desk        the other end: hands out the job, watches who waits for whom, takes results, times and prints in
measuring   the sweep of message sizes; `replay` says what the program sent, and when it would be done on a given link
simulated   the same on the checker's processes, behind walls, where bytes are counted and nothing is timed
report      what came of it
"""
