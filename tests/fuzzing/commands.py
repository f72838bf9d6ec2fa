"""Command lines for an input of every format, and texts for options that have a grammar of their own."""

from collections.abc import Mapping
from pathlib import Path

TRACES = ("trace", "darshan", "darshan text", "dftracer", "dftracer packed", "recorder")
# Formats that are mutated -> command lines; @ is the input, % a folder for outputs, {kind} a sound input.
COMMANDS: dict[str, list[str]] = {
    "trace": [
        "info @",
        "info @ --json",
        "advise @ -o %/a.json",
        "advise @ {cluster}",
        "convert @ %/o.csv",
        "convert @ %/o.json",
        "convert @ %/o.pftrace",
        "convert @ %/o.prv",
        "show @ --text",
        "show @ -o %/o.html",
        "compare {forecast} @",
        "predict @ {cluster}",
        "layout patterns @",
        "layout advise --trace @ --servers 2",
        "fit {cluster} @",
    ],
    "cluster": [
        "check @",
        "check @ --json",
        "check @ --ranks 3 -o %/o.svg",
        "predict {workload} @ --rung fine",
        "predict kernel:pingpong,size=1KiB @ --ranks 2 --rung fine",
        "predict {workload} @",
        "predict {app} @",
    ],
    "workload": [  # a budget below the limit of a mutant: the usual one is 60 s
        "predict @ {cluster} --budget 4s",
        "predict @ {cluster} --rung fine --budget 4s",
        "predict @ westmere --rung resource --budget 4s --json",
    ],
    "forecast": ["show @ -o %/o.html", "show @ --text", "compare @ {trace}", "compare @ {trace} --json"],
    "advice": ["apply @ -o %/applied", "apply @ -o %/applied --json"],
    "tuned": ["apply @ -o %/applied", "apply @ -o %/applied --json"],
    "app": ["predict @ {cluster} --budget 4s"],
    "spec": ["tune @ {cluster} --executor serial --budget 1s -o %/o.toml"],
    "results": ["results @", "results @ --json", "results @ -o %/o.csv", "results @ --changes"],
    "model": [
        "model @ --p 1:8 --d 1:4",
        "model @ --p 4 --d 2 --at 4,2 --json",
        "model @ --p 1:4 -o %/o.html",
    ],
    "observations": ["model fit @", "model fit @ --json --scale power:1/2"],
    "nexus": ["python -m striate.apps.pmc3 @"],  # the reader alone: sampling takes its time
    "dataset": ["info @", "verify @", "info @ --json", "convert @ %/o.npy"],
    "dlio": [
        "predict dlio:@ {cluster} --ranks 4 --budget 4s",
        "predict dlio:@ mlperf:{sheet} --ranks 4 --json",
        "workload show dlio:@ --ranks 4",
        "size dlio:@ mlperf:{sheet} --ranks 4 --target au=0.9 --vary drives -o %/o.html",
    ],
    "sheet": ["predict dlio:{dlio} mlperf:@ --ranks 4", "predict {workload} mlperf:@"],
    "sheet yaml": ["predict dlio:{dlio} mlperf:@ --ranks 4", "predict {workload} mlperf:@ --json"],
    "fio": [
        "predict fio:@ {cluster} --budget 4s",
        "predict fio:@ {cluster} --rung fine --budget 4s",
        "workload show fio:@",
    ],
    "h5bench": ["predict h5bench:@ {cluster} --budget 4s", "workload show h5bench:@ --json"],
    "io500": [
        "predict io500:@ {cluster} --ranks 3 --budget 4s",
        "workload show io500:@ --ranks 3 -o %/o.json",
    ],
    "lfs df": ["predict {workload} lustre:@", "predict dlio:{dlio} lustre:@ --ranks 4", "check lustre:@"],
    "beegfs-ctl": ["predict {workload} beegfs:@", "predict dlio:{dlio} beegfs:@ --ranks 4"],
    "gluster": ["predict {workload} gluster:@", "predict dlio:{dlio} gluster:@ --ranks 4 --json"],
    "scontrol": ["predict {workload} slurm:@", "predict dlio:{dlio} slurm:@ --ranks 4"],
    "lstopo": ["predict {workload} lstopo:@", "predict dlio:{dlio} lstopo:@ --ranks 4"],
    "runs": ["noise learn @ -o %/o.json"],
    "noise": ["predict {workload} {cluster} --rung fine --noise @", "compare {forecast} {trace} --noise @"],
    "rates": ["fit {cluster} --rates @"],
    "graphs": ["predict @ {cluster} --budget 4s"],
    "graph table": ["predict @ {cluster} --budget 4s"],  # of the application that names it
}
for _kind in TRACES[1:]:
    COMMANDS[_kind] = [line for line in COMMANDS["trace"] if "pftrace" not in line and "prv" not in line]

# Formats whose commands take seconds, because they search or start another process: they get one turn in eight.
COSTLY = ("observations", "rates", "otf2")

# Archives that another process reads for us: each mutant takes its time.
ARCHIVES: dict[str, list[str]] = {"otf2": ["info @", "show @ --text", "predict @ {cluster}"]}

# Option texts -> command lines; @ is the text itself.
OPTIONS: dict[str, list[str]] = {
    "simple:2:64KiB": ["layout draw @", "layout locate @ 70000"],
    "twod:4:1KiB:2:2": ["layout draw @ --byte 5", "layout locate @ 70000"],
    "grouped:4:1MiB:2": ["layout draw @", "layout locate @ 1MiB"],
    "data=simple:2:64KiB": ["predict {workload} {cluster} --layout @"],
    "1MiB": ["layout draw simple:8:64KiB --byte @", "layout locate simple:8:64KiB @"],
    "allreduce=ring": ["predict {workload} {cluster} --collective @"],
    "1:8:x2": ["model {model} --p @ --d 1", "model {model} --d @"],
    "4,2": ["model {model} --at @ --p 4 --d 2"],
    "kernel:pingpong,size=1KiB": ["predict @ {cluster} --ranks 2"],
    "mpiexec -n 2 ior -a MPIIO -t 1m -b 4m -s 2 -w -r -c": [
        "predict @ {cluster} --budget 4s",
        "workload show @",
    ],
    "mdtest -F -n 12 -b 2 -z 1 -w 3901 -e 3901 -N 1 -i 2": [
        "predict @ {cluster} --ranks 3 --budget 4s",
        "workload show @ --ranks 3",
    ],
    "fio --name=job --rw=randrw --bs=4k --size=1m --numjobs=2 --iodepth=8 --ioengine=io_uring": [
        "predict @ {cluster} --budget 4s",
        "workload show @",
    ],
    "au=0.9": ["size dlio:{dlio} mlperf:{sheet} --ranks 4 --vary drives --target @"],
    "drives": ["size dlio:{dlio} mlperf:{sheet} --ranks 4 --target au=0.9 --vary @"],
    "20%": ["predict {workload} {cluster} --within @"],
    "fine": ["predict {workload} {cluster} --rung @"],
    "power:1/2": ["model fit {observations} --scale @"],
    "2026-01-31": ["results {results} --since @"],
    "64 KiB": ["layout advise --runs 2 --processes 4 --servers 2 --generation @"],
}


def arguments(line: str, given: str, out: Path, sound: Mapping[str, Path]) -> list[str]:
    """The words of a command line with its places filled in."""
    words = []
    for word in _words(line):
        if "@" in word:
            words.append(word.replace("@", given))
        elif "{" in word:
            prefix, kind = word.rstrip("}").split("{")
            words.append(f"{prefix}{sound[kind]}")
        else:
            words.append(word.replace("%", str(out)))
    return words


def _words(line: str) -> list[str]:
    """Split at spaces outside braces."""
    import re

    return re.findall(r"[^\s{]*\{[^}]*\}|\S+", line)
