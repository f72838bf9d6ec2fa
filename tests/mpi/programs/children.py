"""Forks, starts another program and writes from two threads between MPI calls: nothing of that may spoil the trace."""

import os
import subprocess
import sys
import threading

from mpi4py import MPI

rank = MPI.COMM_WORLD.rank
path = f"{sys.argv[1]}.{rank}"
file = os.open(path, os.O_CREAT | os.O_RDWR)


together = threading.Barrier(2)  # both are alive at once: a thread that follows another takes its number


def write(first):
    together.wait()
    for number in range(50):
        os.pwrite(file, b"x" * 10, 10 * (first + number))
    together.wait()


threads = [threading.Thread(target=write, args=(first,)) for first in (0, 50)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
child = os.fork()
if child == 0:
    for number in range(200):
        os.pwrite(file, b"y", number)
    os._exit(0)
os.waitpid(child, 0)
subprocess.run([sys.executable, "-c", "open('/dev/null').read()"], check=True)
os.close(file)
MPI.COMM_WORLD.Barrier()
