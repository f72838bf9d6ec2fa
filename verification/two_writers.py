"""Two programs write one dataset at once: `python verification/two_writers.py [SECONDS]`.

Each opens it, writes its own rows, reads them back and closes it, again and again; a writer that meets the other is
refused with one line that names it, and tries again. Counts writes, refusals, and rows that were lost: what a program
wrote last must be there at the end.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import striate.runtime as runtime
from striate.errors import StriateError

ROWS = 1000


def write(path, number, seconds):
    """Write the rows of this program until the time is over; what it did, as one line of JSON."""
    mine = np.arange(number, ROWS, 2)
    done, refused, lost, other = 0, 0, 0, []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with runtime.open(None, path) as dataset:
                dataset.write_all(mine, np.full(len(mine), done + 1.0))
                done += 1
                lost += not (dataset.read_all(mine) == done).all()
        except StriateError as error:
            refused += 1
            if "is being written by" not in str(error):
                other.append(str(error))
    print(json.dumps({"done": done, "refused": refused, "lost": lost, "other": other[:5]}))


def main(arguments):
    seconds = float(arguments[0]) if arguments else 60
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "d"
        with runtime.create(None, path, (ROWS,), "f8", chunk=512):
            pass
        command = [sys.executable, __file__, "write", str(path)]
        programs = [
            subprocess.Popen([*command, str(number), str(seconds)], stdout=subprocess.PIPE, text=True)
            for number in range(2)
        ]
        found = [json.loads(program.communicate()[0]) for program in programs]
        findings = runtime.verify(path).findings
        with runtime.open_serial(path) as dataset:
            rows = dataset[...]
        for number, one in enumerate(found):
            one["lost"] += not (rows[number::2] == one["done"]).all()
    done, refused, lost = (sum(one[name] for one in found) for name in ("done", "refused", "lost"))
    print(f"{done} writes of two programs, {refused} refused, {lost} lost, {len(findings)} findings")
    for said in {said for one in found for said in one["other"]} | set(findings):
        print(f"  {said}")
    return int(bool(lost or findings or any(one["other"] for one in found)))


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"]:
        write(Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
    else:
        sys.exit(main(sys.argv[1:]))
