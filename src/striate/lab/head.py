"""The head of a lab: first process of its namespaces, switch and login node in one. Builds the lab, then only waits."""

from __future__ import annotations

import os
import sys
import threading
import time

import msgspec

from striate.errors import LabError
from striate.lab.hosts import make_head, start_hosts
from striate.lab.messages import Job, Progress, tell
from striate.lab.throttle import io_control, lift
from striate.lab.volume import make_volume, mount_everywhere, start_servers


def build(job: Job) -> None:
    """Build everything that lives inside the lab's namespaces."""
    plan, loops = job.plan, job.loops
    tell(Progress(step="starting hosts"))
    make_head(plan)
    start_hosts(plan, loops)
    tell(Progress(step="starting file servers"))
    start_servers(plan)
    make_volume(plan, loops)
    tell(Progress(step="mounting the file system"))
    mount_everywhere(plan)


def follow_guard(job: Job) -> None:
    """Wait for the guard's end of our standard input to close, then take its duty over and end the lab."""
    while sys.stdin.buffer.read(1):
        pass
    if (control := io_control()) is not None:
        lift(control, job.plan.name, job.loops)
    os._exit(1)  # the kernel ends all other processes of these namespaces


def reap_for_ever() -> None:
    """Collect what ends, as the first process of a namespace must."""
    while True:
        try:
            os.wait()
        except ChildProcessError:
            time.sleep(1)


def main() -> None:
    """Read the job from standard input, build, and wait for the end."""
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=Job)
    threading.Thread(target=follow_guard, args=(job,), daemon=True).start()
    try:
        build(job)
    except (LabError, OSError) as error:
        tell(Progress(error=str(error)))
        sys.exit(1)
    tell(Progress(ready=True))
    reap_for_ever()


if __name__ == "__main__":
    main()
