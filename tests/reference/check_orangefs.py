"""Check distributions against values of the real PVFS2/OrangeFS functions: `run.py orangefs FILE.json`.

Four things of OrangeFS are known and not copied, and each is checked for what is right instead:
counters of 32 bits (more than 2^32 rounds), more groups than servers, a reader of strips that takes almost
any text, and varstrip's answer 0 for a server that does not hold the byte asked for.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

from striate.errors import LayoutError
from striate.layout import Basic, Layout, SimpleStripe, TwoDStripe, VarStrip, parse_strips

BASIC_PIECE = 65536  # OrangeFS hands out the endless strip of `basic` in pieces of this many bytes
PLAIN_STRIP = r"\s*[0-9]+\s*:\s*[0-9]+\s*[kKmMgG]?\s*"
PLAIN_STRIPS = re.compile(f"{PLAIN_STRIP}(;{PLAIN_STRIP})*;?\\s*")
LARGEST = 2**63 - 1
MOST_LINES = 1000


class Outcome:
    """Counts what was checked, and remembers every claim that failed."""

    def __init__(self) -> None:
        self.cases: Counter[str] = Counter()
        self.failures: list[str] = []

    def equal(self, case: str, what: str, found: object, wanted: object) -> None:
        if found != wanted:
            self.failures.append(f"{case}: {what} is {found}, wanted {wanted}")


def build(case: dict) -> Layout:
    """The layout that a case names."""
    kind, parameters, servers = case["dist"], case["params"], case["server_ct"]
    if kind == "simple_stripe":
        return SimpleStripe(servers, parameters["strip_size"])
    if kind == "varstrip_dist":
        return VarStrip(parameters["strips"])
    if kind == "twod_stripe":
        return TwoDStripe(
            servers, parameters["strip_size"], parameters["num_groups"], parameters["group_strip_factor"]
        )
    if kind == "basic_dist":
        return Basic()
    raise LayoutError(f"expected a distribution of OrangeFS, got {kind!r}")


def by_hand(layout: Layout, offset: int) -> tuple[int, int]:
    """Server and position of a byte, with Python's own numbers and no cleverness."""
    if isinstance(layout, VarStrip):
        rounds, within = divmod(offset, layout.round)
        share = dict.fromkeys(range(layout.servers), 0)
        for strip in layout.strips:
            share[strip.server] += strip.size
        before = dict.fromkeys(range(layout.servers), 0)
        for strip in layout.strips:
            if within < strip.size:
                return strip.server, rounds * share[strip.server] + before[strip.server] + within
            within -= strip.size
            before[strip.server] += strip.size
    assert isinstance(layout, TwoDStripe)
    share_bytes = layout.unit * layout.factor
    rounds, within = divmod(offset, layout.servers * share_bytes)
    small = layout.servers // layout.groups
    for group in range(layout.groups):
        members = small if group < layout.groups - 1 else layout.servers - small * group
        if within < members * share_bytes:
            strip, inside = divmod(within, layout.unit)
            row, column = divmod(strip, members)
            return group * small + column, rounds * share_bytes + row * layout.unit + inside
        within -= members * share_bytes
    raise AssertionError("a byte beyond its own round")


def check_round_trip(outcome: Outcome, name: str, layout: Layout, offset: int) -> None:
    """What is right where OrangeFS is not: the place counted by hand, and the way back."""
    server, physical = layout.locate(offset)
    outcome.equal(name, "place", (int(server), int(physical)), by_hand(layout, offset))
    outcome.equal(name, "logical(locate)", int(layout.logical(server, physical)), offset)


def check_logical(outcome: Outcome, name: str, case: dict) -> None:
    layout, offset = build(case), case["logical"]
    if case.get("upstream_bug"):
        check_round_trip(outcome, name, layout, offset)
        return
    server, physical = layout.locate(offset)
    outcome.equal(name, "server", int(server), case["server"])
    outcome.equal(name, "physical", int(physical), case["physical"])
    outcome.equal(name, "logical", int(layout.logical(server, physical)), case["p2l"])
    run = int(layout.run_length(offset))
    outcome.equal(
        name, "run length", min(run, BASIC_PIECE) if isinstance(layout, Basic) else run, case["contiguous"]
    )
    below = [int(size) for size in layout.physical_sizes(offset)]
    following = [int(layout.logical(at, size)) for at, size in enumerate(below)]
    outcome.equal(name, "next byte on each server", following, case["next_mapped"])
    if case["dist"] == "varstrip_dist":  # OrangeFS answers 0 for the others
        below = [size if at == server else 0 for at, size in enumerate(below)]
    outcome.equal(name, "bytes below on each server", below, case["l2p_all_servers"])


def check_physical(outcome: Outcome, name: str, case: dict) -> None:
    layout = build(case)
    offset = int(layout.logical(case["server"], case["physical"]))
    server, physical = layout.locate(offset)
    outcome.equal(name, "logical", offset, case["logical"])
    outcome.equal(name, "server", int(server), case["server"])
    outcome.equal(name, "physical of logical", int(physical), case["l2p_back"])
    run = int(layout.run_length(offset))
    outcome.equal(
        name, "run length", min(run, BASIC_PIECE) if isinstance(layout, Basic) else run, case["contiguous"]
    )


def check_size(outcome: Outcome, name: str, case: dict) -> None:
    outcome.equal(name, "logical size", build(case).logical_size(case["psizes"]), case["logical_size"])


def check_parser(outcome: Outcome, name: str, case: dict) -> None:
    """Plain texts read as OrangeFS reads them; what it refuses or reads by accident is refused."""
    text, parsed = case["strips"], case["parsed"]
    plain = PLAIN_STRIPS.fullmatch(text) is not None and not (
        parsed and any(strip["size"] >= LARGEST for strip in parsed)
    )
    try:
        strips = parse_strips(text)
    except LayoutError:
        outcome.equal(name, f"refusal of {text!r}", True, parsed is None or not plain)
        return
    outcome.equal(name, f"acceptance of {text!r}", True, parsed is not None and plain)
    starts = [sum(strip.size for strip in strips[:number]) for number in range(len(strips))]
    found = [{"server": s.server, "offset": o, "size": s.size} for s, o in zip(strips, starts, strict=True)]
    outcome.equal(name, f"strips of {text!r}", found, parsed)
    outcome.equal(name, "block size", strips[0].size, case.get("blksize", strips[0].size))
    for available in (2, 8):
        if f"num_dfiles_of_{available}_servers" in case:
            wanted = case[f"num_dfiles_of_{available}_servers"]
            outcome.equal(name, f"files on {available} servers", data_files(text, available), wanted)


def data_files(text: str, available: int) -> int:
    """Servers the strips need, or -1 when there is a gap or there are not as many."""
    try:
        needed = VarStrip(text).servers
    except LayoutError:
        return -1
    return needed if needed <= available else -1


def check_bug(outcome: Outcome, name: str, case: dict) -> None:
    if case["dist"] == "twod_stripe" and case["params"]["num_groups"] > case["server_ct"]:
        try:
            build(case)
        except LayoutError:
            return
        outcome.failures.append(f"{name}: more groups than servers were not refused")
    else:
        check_round_trip(outcome, name, build(case), case["logical"])


def check_misc(outcome: Outcome, name: str, case: dict) -> None:
    """A gap in the server numbers: OrangeFS divides by zero; here it is refused."""
    outcome.equal(name, f"files of {case['strips']!r}", data_files(case["strips"], 2**31), case["num_dfiles"])


def check_length(outcome: Outcome, name: str, case: dict) -> None:
    """Texts of strips "0:100" cut to a length: read while PVFS2 has room, and the last strip is whole."""
    text = ("0:100;" * case["length"])[: case["length"]]
    try:
        strips = parse_strips(text)
        found = len(strips) if len(text) <= 1023 else None
    except LayoutError:
        found = None
    outcome.equal(name, "strips", found, case["parsed_count"])


CHECKS = {
    "logical_cases": check_logical,
    "physical_cases": check_physical,
    "size_cases": check_size,
    "varstrip_parser_cases": check_parser,
    "known_bug_cases": check_bug,
    "misc": check_misc,
    "varstrip_length_cases": check_length,
}


def check_case(outcome: Outcome, group: str, name: str, case: dict, talkative: bool) -> None:
    """Run one case and print its failures, or, when talkative, that it was met."""
    before = len(outcome.failures)
    try:
        CHECKS[group](outcome, name, case)
    except (LayoutError, KeyError, TypeError, AssertionError) as error:
        outcome.failures.append(f"{name}: {type(error).__name__}: {error}")
    outcome.cases[group] += 1
    for failure in outcome.failures[before:]:
        print("FAILED", failure)
    if talkative and len(outcome.failures) == before:
        print("met", name)


def check(path: Path) -> int:
    """Print a line a case (only failures when there are thousands), a line a group, and a summary."""
    try:
        document = json.loads(path.read_text())
        groups = {group: document[group] for group in CHECKS if group in document}
    except (OSError, ValueError, TypeError) as error:
        print(f"cannot read {path}: {error}", file=sys.stderr)
        return 1
    outcome = Outcome()
    talkative = sum(len(cases) for cases in groups.values()) <= MOST_LINES
    for group, cases in groups.items():
        before = len(outcome.failures)
        for number, case in enumerate(cases):
            check_case(outcome, group, f"{group}[{number}] {case.get('dist', '')}".strip(), case, talkative)
        print(f"{group}: {outcome.cases[group]} cases, {len(outcome.failures) - before} failures")
    total = sum(outcome.cases.values())
    print(f"orangefs: {total} cases, {len(outcome.failures)} failures")
    return 1 if outcome.failures or total == 0 else 0
