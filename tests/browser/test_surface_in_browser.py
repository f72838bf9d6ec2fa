"""The surface page in a real browser, offline: it draws, and pointing at it tells p, d, speedup and bottleneck."""

import html
import re
import shutil
import subprocess

import pytest

from striate.pages.surface import surface_page
from striate.queueing import Model, surface
from unit.queueing.test_parameters import program

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SWITCHES = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--virtual-time-budget=8000",
    "--dump-dom",
]

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is to be had")


def shown(page: str, folder) -> str:
    """The document after its scripts have run, plotly's own script left out."""
    (folder / "page.html").write_text(page)
    command = [CHROMIUM, *SWITCHES, f"--user-data-dir={folder / 'profile'}", f"file://{folder / 'page.html'}"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr[-500:]
    return re.sub(r"<script.*?</script>", "", result.stdout, flags=re.DOTALL)


def test_pointing_at_the_page_tells_what_is_there(tmp_path):
    model = Model(program())
    page = surface_page(surface(model, [2, 4, 8], [1, 2]), title="spmd.toml")
    before, end, after = page.rpartition("</body>")  # plotly's script holds that text as well
    pointed = "document.getElementById('contours').emit('plotly_hover', {points: [{x: 2, y: 4}]})"
    hover = f"<script>setTimeout(() => {pointed}, 3000)</script>"
    document = html.unescape(shown(before + hover + end + after, tmp_path))

    readout = re.search(r'id="readout"[^>]*>([^<]*)', document)[1]
    assert readout.startswith("p = 4, d = 2, speedup ")
    assert f"speedup {model.speedup(4, 2):.6g}," in readout
    assert f"bottleneck: {model.bottleneck(4, 2)}" in readout
    for label in ("processors p (count)", "disks d (count)"):
        assert label in document
    assert "network contention" in document
