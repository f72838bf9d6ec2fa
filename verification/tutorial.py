"""Runs the tutorial and writes what its commands print into docs/tutorial-loop.md: `python verification/tutorial.py`.

Options: --budget (of the probe), --repeats (of the runs that are compared), --keep FOLDER (for the files it makes),
--busy (other load is in every number: without it, a busy machine is refused).
"""

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import tomllib
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "tutorial-loop.md"
SPEC = ROOT / "examples" / "poor_mesh.toml"
BIN = Path(sys.prefix) / "bin"
POOR = 'servers = 1\nchunk = "64 KiB"\ncodec = "zlib"\nbuffer = "4 MiB"\n'
MESH = "mpiexec -n 2 python -m striate.apps.mesh dump --nodes 1000000 --steps 6 --every 1 --settings"
WIDTH = 132


class Session:
    """Runs commands in a folder and keeps what they print, as a reader would see it."""

    def __init__(self, folder):
        self.folder = folder
        self.shown = {}

    def run(self, name, command, *, good=(0,), most_lines=40):
        """Run a command line, and keep it and its output under `name`; a later one of the same name follows it."""
        print(f"$ {command}", file=sys.stderr)
        environment = os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}", "COLUMNS": "200"}
        done = subprocess.run(
            command, shell=True, cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode not in good:
            raise SystemExit(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
        lines = [f"$ {command}", *(done.stdout or done.stderr).rstrip().splitlines()]
        if len(lines) > most_lines:
            lines = [*lines[:most_lines], f"... and {len(lines) - most_lines} more lines"]
        self.shown.setdefault(name, []).extend(_plain(line) for line in lines)
        return done.stdout

    def json(self, command, *, good=(0,)):
        """The JSON that a command prints; not shown."""
        environment = os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"}
        done = subprocess.run(
            command, shell=True, cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode not in good:
            raise SystemExit(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return json.loads(done.stdout)


def _plain(line):
    """A line without the places of this machine, cut to the width of the page."""
    line = re.sub(r"(/[\w.-]+)+/(python|mpiexec|striate|dump)", r"\2", line)
    line = re.sub(rf"\b{re.escape(platform.node())}\b", "here", line)
    return line if len(line) <= WIDTH else line[: WIDTH - 3] + "..."


def without_background(text):
    """The description of the machine alone: gaps in a trace hold already what others took of its CPUs."""
    text = re.sub(r"^background = .*\n", "", text, flags=re.MULTILINE)
    return re.sub(r'\[\[measured\]\]\nkey = "settings\.background"\n(?:.+\n)*', "", text)


def walk(session, *, budget, repeats):
    """Every step; the numbers for the summary."""
    (session.folder / "poor.toml").write_text(POOR)
    (session.folder / "spec.toml").write_text(SPEC.read_text())
    session.run("trace", f"striate trace -o poor.parquet -- {MESH} poor.toml")
    session.run("info", "striate info poor.parquet", most_lines=14)
    session.run("advise", "striate advise poor.parquet")
    session.run("probe", f"striate probe --budget {budget}s -o here.toml", most_lines=14)
    (session.folder / "alone.toml").write_text(without_background((session.folder / "here.toml").read_text()))
    made = "alone.toml --timeline forecast.parquet -o poor.json"
    session.run("predict", f"striate predict poor.parquet {made}", good=(0, 3), most_lines=14)
    compared = "striate compare poor.json poor.parquet --timeline forecast.parquet"
    session.run("compare", compared, good=(0, 3), most_lines=18)
    session.run(
        "tune", "striate tune spec.toml here.toml --budget 120s -o tuned.toml", good=(0, 3), most_lines=20
    )
    session.run("apply", f"striate apply tuned.toml -o settings --rerun --repeats {repeats} --force")
    session.run("apply", "cat settings/runtime.toml")
    session.run("again", f"striate trace -o tuned.parquet -- {MESH} settings/runtime.toml")
    session.run("again", "striate predict tuned.parquet alone.toml -o tuned.json", good=(0, 3), most_lines=8)
    session.run("again", "striate compare tuned.json tuned.parquet", good=(0, 3), most_lines=2)
    rerun = json.loads((session.folder / "settings" / "rerun.json").read_text())
    load = tomllib.loads((session.folder / "here.toml").read_text())["settings"].get("background", 0.0)
    compared = {
        name: session.json(f"striate compare {name}.json {name}.parquet --json", good=(0, 3))
        for name in ("poor", "tuned")
    }
    return rerun, compared, load


def summary(rerun, compared, load):
    """A table of predicted beside measured."""
    before, after = (statistics.median(rerun[name]) for name in ("before", "after"))
    gain, predicted = rerun["measured_gain"], rerun["predicted_gain"]
    rows = [
        ("the program as it was, s", rerun["predicted_before"], before),
        ("with the tuned settings, s", rerun["predicted_after"], after),
    ]
    lines = ["| | predicted (low to high) | measured (median) |", "|---|---|---|"]
    for words, interval, measured in rows:
        span = f"{interval['estimate']:.2f} ({interval['low']:.2f} to {interval['high']:.2f})"
        lines.append(f"| {words} | {span} | {measured:.2f} |")
    span = f"{gain['estimate']:.0%} ({gain['low']:.0%} to {gain['high']:.0%}, from quartiles)"
    lines.append(f"| time saved | {predicted:.0%} | {span} |")
    for name, words in (("poor", "the traced run as it was"), ("tuned", "the traced run, tuned")):
        found = compared[name]
        lines.append(
            f"| {words}, s | {found['predicted']['estimate']:.2f} ({found['predicted']['low']:.2f} to "
            f"{found['predicted']['high']:.2f}) | {found['measured']:.2f} |"
        )
    lines.append("")
    where = f"{os.cpu_count()} CPUs ({platform.machine()})"
    lines.append(
        f"These times were measured on {date.today()} with {where}, while other processes kept {load:.2f} CPUs "
        f"busy; the two versions of the program ran {len(rerun['before'])} times each, in turn."
    )
    return lines


def write_page(shown, table):
    """Put every output between its marks."""
    text = PAGE.read_text()
    blocks = {name: ["```text", *lines, "```"] for name, lines in shown.items()} | {"summary": table}
    for name, lines in blocks.items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        head, _, rest = text.partition(begin)
        assert rest, f"no place for {name} in {PAGE.name}"
        _, _, tail = rest.partition(end)
        text = head + "\n".join([begin, *lines, end]) + tail
    PAGE.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=int, default=30, help="seconds of the probe")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--keep", type=Path, help="folder for the files that are made (default: none is kept)"
    )
    parser.add_argument("--busy", action="store_true", help="also on a machine with much other load")
    asked = parser.parse_args()
    if os.getloadavg()[0] > 2 * os.cpu_count() and not asked.busy:
        parser.error(
            f"a load of {os.getloadavg()[0]:.0f} processes would be in every number; give --busy to go on"
        )
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.keep or Path(scratch)
        folder.mkdir(exist_ok=True)
        session = Session(folder)
        measured = walk(session, budget=asked.budget, repeats=asked.repeats)
    write_page(session.shown, summary(*measured))
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
