"""Recall and precision of advice on labelled logs: `python verification/advice_labels.py FOLDER LABELS.json`.

LABELS.json maps names of logs to what is wrong with them: a list of rules, or {"has": [...], "may": [...]}, where `may`
lists consequences that count neither for nor against. Prints one line per log, recall and precision over all of them,
and gains above their caps or without a width. Exit status 1 when recall is below 90 %, precision below 80 %, or a gain
is wrong.
"""

import json
import sys
from pathlib import Path

from striate.advice import advise
from striate.advice.advise import RULES
from striate.formats.read import read_trace

RECALL, PRECISION = 0.9, 0.8


def judge(labels, read):
    """(rows, hits, wanted, fired, wrong gains) over all logs; `read` gives the trace of a name."""
    rows, hits, wanted, right, fired, wrong = [], 0, 0, 0, 0, []
    for name, label in labels.items():
        has = set(label if isinstance(label, list) else label["has"])
        may = set() if isinstance(label, list) else set(label.get("may", ()))
        unknown = (has | may) - set(RULES)
        if unknown:
            raise SystemExit(f"{name}: no such rule: {', '.join(sorted(unknown))}; rules: {', '.join(RULES)}")
        items = advise(read(name)).items
        found = {item.rule for item in items}
        hits, wanted = hits + len(found & has), wanted + len(has)
        right, fired = right + len(found & has), fired + len(found - may)
        wrong += [f"{name}: {text}" for item in items for text in gain_faults(item)]
        rows.append((name, sorted(found & has), sorted(has - found), sorted(found - has - may)))
    return rows, hits, wanted, right, fired, wrong


def gain_faults(item):
    """What is wrong with an item's gain: above its cap, or without a width."""
    if item.gain is None:
        return []
    over = [f"{item.rule} saves more than it affects"] * (item.gain.high > item.affected.high * (1 + 1e-9))
    return over + [f"{item.rule} has a gain without a width"] * (item.gain.width <= 0)


def main(arguments):
    if len(arguments) != 2:
        raise SystemExit(__doc__)
    folder, labels = Path(arguments[0]), json.loads(Path(arguments[1]).read_text())
    rows, hits, wanted, right, fired, wrong = judge(labels, lambda name: read_trace(folder / name))
    print("| log | found | missed | not labelled |\n|---|---|---|---|")
    for name, found, missed, extra in rows:
        print(f"| {name} | {', '.join(found)} | {', '.join(missed)} | {', '.join(extra)} |")
    recall, precision = hits / max(wanted, 1), right / max(fired, 1)
    print(
        f"recall {recall:.1%} ({hits} of {wanted}), precision {precision:.1%} ({right} of {fired}), {len(labels)} logs"
    )
    print("\n".join(wrong) or "no gain is above its cap or without a width")
    return 0 if recall >= RECALL and precision >= PRECISION and not wrong else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
