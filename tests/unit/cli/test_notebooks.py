"""The notebooks run, show something, and are stored without results; the gallery is made by its script."""

import json
import sys
from pathlib import Path

import pytest

from notebooks import run_notebook

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert any(value is not None for value in run_notebook(path))


def test_there_are_three_notebooks_and_none_keeps_results():
    assert len(NOTEBOOKS) >= 3
    for path in NOTEBOOKS:
        cells = json.loads(path.read_text())["cells"]

        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


def test_a_cell_that_fails_is_named(tmp_path):
    cell = {"cell_type": "code", "source": ["1 / 0"]}
    (tmp_path / "broken.ipynb").write_text(json.dumps({"cells": [cell]}))

    with pytest.raises(ZeroDivisionError) as caught:
        run_notebook(tmp_path / "broken.ipynb")
    assert "broken.ipynb, cell 1" in str(caught.traceback[-1].path)


def test_the_gallery_is_made_by_its_script(tmp_path):
    import gallery

    quick = tuple(exhibit for exhibit in gallery.EXHIBITS if exhibit.result.endswith(".svg"))
    index = gallery.make(tmp_path, quick)

    assert len(quick) == 2
    assert all((tmp_path / exhibit.result).stat().st_size > 1000 for exhibit in quick)
    assert all(f'href="{exhibit.result}"' in index.read_text() for exhibit in quick)
    assert all(exhibit.title in gallery.markdown() for exhibit in gallery.EXHIBITS)
