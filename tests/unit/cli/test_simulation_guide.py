"""The guide to simulated runs runs as it stands, and its picture is there."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[3] / "docs"
GUIDE = DOCS / "guides" / "simulate-a-run.md"


def test_the_code_of_the_guide_runs(capsys):
    code = "\n".join(re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL))
    exec(
        compile(
            code.replace("jacobi.workload(8)", "jacobi.workload(8, steps=8, every=4)"), str(GUIDE), "exec"
        ),
        {},
    )
    said = capsys.readouterr().out

    assert "seconds of seeking" in said
    assert re.search(r"^jacobi 8 0\.0 \d", said, re.MULTILINE)
    assert re.search(r"^io-level-0 4 0\.0 \d", said, re.MULTILINE)


def test_the_kernels_of_the_guide_are_there():
    from striate.apps.kernels import parse, workload

    lines = re.findall(r"predict kernel:(\S+) westmere", GUIDE.read_text())
    assert len(lines) == 4
    for line in lines:
        name, options = parse(line)
        workload(name, ranks=4, **options).check()


def test_the_picture_shows_every_phase():
    picture = (DOCS / "images" / "timeline-jacobi.svg").read_text()

    for words in ("rank 7", "disk 1.0", "checkpoint", "exchange", "seek"):
        assert words in picture
