"""One small sound input of every format that a command reads; a name of choice stands in every field for names."""

import gzip
from pathlib import Path

import tomli_w

from darshan_logs import MIB, Log, packed, posix
from fuzzing.job_seeds import GRAPHS, JOBS, graphs_toml, noise_json
from fuzzing.tool_seeds import TOOLS
from machines import node, server
from recorder_logs import LAYOUTS, made, write_log
from toy_traces import row, trace_of

MODEL = """kind = "bus-aio"
[spmd]
parallel_seconds = "4 s"
message_startup_seconds = "2 ms"
transfer_seconds = 0.3
io_transfer_seconds = "2 s"
contention = 0.3
group = 2
scale = "power:-1/6"
messages = { power = "1/2", factor = 6 }
"""
NEXUS = (
    "#NEXUS\n[{}]\nbegin data;\ndimensions ntax=4 nchar=4;\nformat datatype=dna gap=- missing=?;\nmatrix\n"
)
NEXUS += "a ACGT\nb ACGA\nc AC-T\nd GCGT\n;\nend;\n"
PARSED = "# darshan log version: 3.41\n# exe: {0}\n# nprocs: 2\n# start_time: 1\n# run time: 9.5\n"
PARSED += "# mount entry:\t/s\tlustre\n"


def toy_cluster(name: str = "") -> str:
    """A machine of two nodes and a server; its names are checked, its source is free text."""
    tables = {
        "name": "toy",
        "source": f"by hand {name}",
        "settings": {"io_request": "10 MiB"},
        "node": [node(2, cpus=2)],
        "network": {"topology": "star", "switch": {"bandwidth": "80 GB/s"}},
        "server": [server(1)],
    }
    return tomli_w.dumps(tables)


def toy_trace(name: str):
    """Two ranks that write and read in a way that every rule of advice looks at."""
    from striate.trace.header import Flag, TracedCommunicator, TracedFile

    rows = []
    for rank in range(2):
        for step in range(12):
            at = 10**9 * step
            some = {"file": step % 2, "offset": 100 * step, "bytes": 100}
            rows.append(row(rank, "write", at, at + 10**8, **some, function="MPI_File_write_at"))
            rows.append(row(rank, "write", at + 1, at + 10**7, level="posix", **some, function="pwrite"))
        rows.append(row(rank, "region", 0, 10**9, level="program", region=0))
        rows.append(
            row(rank, "barrier", 13 * 10**9, 14 * 10**9, level="mpi", communicator=0, collective=True)
        )
    return trace_of(
        rows,
        files=(TracedFile(f"/scratch/{name}/a", "lustre", hints={"cb_nodes": name}), TracedFile(name)),
        program=f"{name} x",
        source=f"tool {name}",
        regions=(name,),
        communicators=(TracedCommunicator("world"), TracedCommunicator(name, (1,))),
        flags=(Flag("toy", f"flag {name}"),),
        hosts=(name, "b"),
        host_of_rank=(0, 1),
        hints={"striping_unit": name},
        job=name,
        mounts={f"/scratch/{name}": "lustre"},
        versions={"tool": name},
        inputs={name: "sha256:0"},
    )


def darshan_log(name: str) -> bytes:
    """A log of small writes to a shared file on few targets."""
    log = Log(ranks=8, seconds=30, program=f"./{name} x")
    for rank in range(8):
        log.add("POSIX", f"/scratch/{name}/one", rank, **posix("write", 4000, 1000, 20.0))
        log.add("POSIX", name, rank, **posix("read", 4, 16 * MIB, 1.0))
    return packed(log.stripe(f"/scratch/{name}/one", targets=range(1)))


def dftracer_log(name: str) -> str:
    """Events of dftracer, with names where it has them."""
    import json

    lines = ["["]
    for number in range(6):
        event = {
            "id": number,
            "name": "write",
            "cat": "POSIX",
            "pid": 1,
            "tid": 1,
            "ts": 10 * number,
            "dur": 5,
        }
        some = {"fname": f"/s/{name}", "ret": 100, "offset": 0, "hhash": "h", "fhash": "f", name: name}
        lines.append(json.dumps(event | {"ph": "X", "args": some}))
    for what, number in (("FH", "f"), ("HH", "h")):
        named = {"name": name, "value": number}
        lines.append(
            json.dumps(
                {"id": 9, "name": what, "cat": "dftracer", "pid": 1, "tid": 1, "ph": "M", "args": named}
            )
        )
    return "\n".join(lines) + "\n"


def parsed_text(name: str) -> str:
    """What darshan-parser prints of a small log."""
    counters = {"OPENS": 3, "WRITES": 50, "BYTES_WRITTEN": 5000, "F_WRITE_TIME": 1.5}
    lines = [
        f"POSIX\t-1\t77\tPOSIX_{key}\t{value}\t/s/{name}\t/s\tlustre\n" for key, value in counters.items()
    ]
    return PARSED.format(name) + "".join(lines)


def write_seeds(folder: Path, name: str = "plain") -> dict[str, Path]:
    """Every format -> where it was written. Formats of text hold the name as their escapes allow."""
    import msgspec

    import striate
    from striate.advice import advise
    from striate.results import append
    from striate.results.entry import Entry
    from striate.trace.trace import Trace
    from striate.workload import Workload

    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, Path] = {}

    def put(kind: str, file: str, content: str | bytes) -> None:
        found[kind] = folder / file
        found[kind].write_bytes(
            content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
        )

    sound = name.encode("utf-8", "replace").decode()
    trace: Trace = toy_trace(sound)
    found["trace"] = folder / "trace.parquet"
    trace.save(found["trace"])
    put("darshan", "log.darshan", darshan_log(name))
    put("darshan text", "log.txt", parsed_text(name))
    put("dftracer", "log.pfw", dftracer_log(sound))
    put("dftracer packed", "log.pfw.gz", gzip.compress(dftracer_log(sound).encode()))
    calls = [made("MPI_File_open", "MPI_COMM_WORLD", f"/{sound}", 5, "%p", "0-0", at=5)]
    calls += [made("MPI_File_write_at_all", "0-0", 64, "%p", 8, "MPI_DOUBLE", "", at=20)]
    calls += [made("write", f"/log{sound}", "%p", 100, at=310)]
    (folder / "recorder").mkdir(exist_ok=True)
    found["recorder"] = write_log(folder / "recorder", [calls, calls], LAYOUTS[-1])
    put("cluster", "toy.toml", toy_cluster(sound))
    workload = Workload.from_trace(trace)
    found["workload"] = folder / "workload.parquet"
    workload.save(found["workload"])
    forecast = striate.predict(workload, striate.load_cluster(found["cluster"]), rung="resource")
    document = msgspec.json.decode(forecast.to_json())
    document |= {"workload": sound, "cluster": sound, "notes": [sound]}
    document["provenance"]["inputs"] = {sound: "sha256:0"}
    put("forecast", "forecast.json", msgspec.json.encode(document))
    advice = msgspec.json.decode(advise(trace).to_json())
    change = {"words": sound, "hints": {"cb_nodes": "1"}, "commands": [f"lfs setstripe -c 4 {sound}", sound]}
    change |= {"environment": {"FORT_BUFFERED": sound}, "code": sound, "runtime": {"codec": sound}}
    for item in advice["items"][:1]:
        item |= {"change": change, "title": sound, "verify": sound, "why": sound}
    put("advice", "advice.json", msgspec.json.encode(advice | {"program": sound, "notes": [sound]}))
    tuned = {
        "schema": "striate.tuned/1",
        "program": sound,
        "cluster": sound,
        "settings": {"buffered": sound, "servers": 2},
    }
    tuned["predicted"] = {"low": 1.0, "estimate": 2.0, "high": 3.0}
    put("tuned", "tuned.toml", tomli_w.dumps(tuned | {"parameters": {sound: sound}}))
    put(
        "app",
        "app.toml",
        tomli_w.dumps({"app": "titan", "volume": "12 MB", "block": "128 KB", "mesh": [2, 1], "queries": 1}),
    )
    spec = {
        "program": "workload.parquet",
        "vary": {"unit": ["64 KiB", "1 MiB"], "placement": ["block", "round-robin"]},
    }
    put("spec", "spec.toml", tomli_w.dumps(spec))
    found["results"] = folder / "results.db"
    append(
        found["results"],
        Entry("predict", workload=sound, cluster=sound, layout=sound, results={sound: sound}),
    )
    put("model", "model.toml", MODEL)
    points = [(p, d, p * (0.6 + 0.05 * d) / (1 + 0.02 * p)) for p in (2, 4, 8, 16) for d in (1, 2, 4)]
    put("observations", "speedups.csv", "p,d,speedup\n" + "".join(f"{p},{d},{s}\n" for p, d, s in points))
    put("nexus", "data.nex", NEXUS.format(sound.replace("[", "(").replace("]", ")")))
    found["dataset"] = dataset(folder / "dataset")
    for kind, (file, content) in (JOBS | TOOLS).items():
        put(kind, file, content(sound))
    put("noise", "noise.json", noise_json(found["runs"]))
    put("graph table", "graphs.csv", GRAPHS)
    put("graphs", "graphs.toml", graphs_toml(str(found["graph table"])))
    return found


def dataset(path: Path) -> Path:
    """Sixteen numbers of striate.runtime, written by one process without MPI."""
    import numpy as np

    import striate.runtime as runtime

    with runtime.create(None, path, (16,), np.dtype("f8"), chunk=64) as made_:
        made_.write_all(np.arange(16), np.arange(16.0))
    return path
