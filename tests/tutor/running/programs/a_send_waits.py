"""Whether a small message's send returns before its receive was called: worker 1 looks before it receives."""

import os
import tempfile
import time


def a_send_waits(worker, array):
    # all ranks have one parent: mpiexec's, or the tests' process
    passed = os.path.join(tempfile.gettempdir(), f"worldsize-sent-{os.getppid()}")
    early = False
    if worker.rank == 0:
        worker.send(array[:1], dst=1)
        open(passed, "w").close()
    if worker.rank == 1:
        time.sleep(0.3)
        early = os.path.exists(passed)
        worker.recv(src=0)
    worker.barrier()
    if worker.rank == 0:
        os.remove(passed)
    return not early
