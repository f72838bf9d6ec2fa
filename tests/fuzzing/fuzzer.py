"""Mutated inputs and option texts through the commands: counts by format and status, and what was wrong."""

from __future__ import annotations

import random
import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from fuzzing.commands import ARCHIVES, COMMANDS, COSTLY, OPTIONS, arguments
from fuzzing.forked import in_child, run_line, watched
from fuzzing.job_seeds import graphs_toml
from fuzzing.mutations import mutated, mutated_table
from fuzzing.seeds import write_seeds

BATCH = 100  # command lines per child


class Fuzzer:
    """Sound inputs, and a place for mutated ones."""

    def __init__(self, folder: Path, seed: int, *, archives: bool = False) -> None:
        self.folder, self.seed = folder, seed
        self.sound = write_seeds(folder / "sound")
        self.commands = COMMANDS | (ARCHIVES if archives else {})
        self.kinds = [*self.commands, "option text"]
        if archives:
            self.sound["otf2"] = folder / "sound" / "run.otf2"
            run_line(["convert", str(self.sound["trace"]), str(self.sound["otf2"])])

    def line(self, number: int, into: Path) -> tuple[str, str, list[str]]:
        """The format, the command line as it is in the table, and its words, of mutant `number`: the same each time."""
        random_ = random.Random(f"{self.seed} {number}")
        turn, place = divmod(number, len(self.kinds))
        kind = self.kinds[place]
        if kind in COSTLY and turn % 8:
            kind = random_.choice([one for one in self.kinds if one not in COSTLY])
        out = into / "out"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        if kind == "option text":
            text = random_.choice(sorted(OPTIONS))
            given = mutated(text.encode(), random_).replace(b"\0", b"").decode("utf-8", "surrogateescape")
            line = random_.choice(OPTIONS[text])
        else:
            given = str(self._mutant(kind, into, random_))
            line = random_.choice(self.commands[kind])
        return kind, line, arguments(line, given, out, self.sound)

    def _mutant(self, kind: str, into: Path, random_: random.Random) -> Path:
        source = self.sound[kind]
        target = into / source.name
        if source.is_dir():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target)
            files = sorted(path for path in target.rglob("*") if path.is_file())
            victim = random_.choice(files)
            victim.write_bytes(mutated(victim.read_bytes(), random_))
            return target
        content = source.read_bytes()
        table = source.suffix == ".parquet" and random_.randrange(4)
        target.write_bytes((mutated_table if table else mutated)(content, random_))
        if kind == "spec":
            shutil.copy(self.sound["workload"], into / "workload.parquet")
        if kind == "graph table":
            application = into / self.sound["graphs"].name
            application.write_text(graphs_toml(str(target)))
            return application
        return target

    def warm_up(self) -> None:
        """Run every command line once as it should be: what they import stays for the children."""
        for kind, lines in self.commands.items():
            for number, line in enumerate(lines):
                out = self.folder / f"warm-{kind}-{number}"
                out.mkdir()
                given = self.sound["graphs" if kind == "graph table" else kind]
                run_line(arguments(line, str(given), out, self.sound))

    def batch(self, numbers: range) -> tuple[list[tuple[str, int | None]], list[tuple[int, str]]]:
        """Outcomes of mutants as (format, status), and what was wrong as (number, words)."""
        into = self.folder / f"batch-{numbers.start}"

        def work(report: Any) -> None:
            for number in numbers:
                kind, line, words = self.line(number, into)
                with watched():
                    outcome = run_line(words)
                report((number, kind, line, outcome))

        reported, ended = in_child(work)
        done = [(kind, outcome.status) for _, kind, _, outcome in reported]
        wrong = [
            (number, f"{line}: {outcome.wrong}") for number, _, line, outcome in reported if outcome.wrong
        ]
        if ended and len(numbers) == 1:
            wrong.append((numbers.start, ended))
        elif ended:  # find the one: again, each in a child of its own, from the first that did not report
            first = numbers.start if "MiB" in ended else numbers.start + len(reported)
            for number in range(first, numbers.stop):
                more, bad = self.batch(range(number, number + 1))
                done += more if number >= numbers.start + len(reported) else []
                wrong += bad
        shutil.rmtree(into, ignore_errors=True)
        return done, wrong

    def keep(self, number: int, folder: Path) -> Path:
        """Write a mutant and its command line down."""
        target = folder / f"{self.seed}-{number}"
        _, line, words = self.line(number, target)
        (target / "command.txt").write_text(f"{line}\n{words!r}\n")
        return target


def fuzz(
    count: int,
    seed: int,
    *,
    first: int = 0,
    seconds: float = float("inf"),
    keep: Path | None = None,
    archives: bool = False,
) -> tuple[Counter[Any], list[str]]:
    """Counts by (format, status) of the mutants from `first` to before `count`, and sentences about what was wrong."""
    counts, failures = Counter[Any](), []
    with tempfile.TemporaryDirectory() as folder:
        fuzzer = Fuzzer(Path(folder), seed, archives=archives)
        fuzzer.warm_up()
        begun = time.monotonic()
        for start in range(first, count, BATCH):
            if time.monotonic() - begun > seconds:
                break
            done, wrong = fuzzer.batch(range(start, min(count, start + BATCH)))
            counts.update(done)
            for number, words in wrong:
                kept = f" kept in {fuzzer.keep(number, keep)}" if keep else ""
                failures.append(f"mutant {number} of seed {seed}{kept}: {words}")
    return counts, failures
