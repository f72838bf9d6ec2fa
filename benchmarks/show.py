"""Long runs in a page, in headless Chromium: its size, the time to write it, the first paint, and how long frames take.

A million and ten million operations of which nothing repeats, and the timeline of a Jacobi solver of 5,000 steps, whose
ranks keep their bars beside 1.15 million messages on links. Frames are counted without a limit on their rate, so that
the time from one to the next is what a frame costs. Rounds are repeated and the best is taken: another program on the
machine can only make them longer. `python benchmarks/show.py 1` measures the first of the three alone.
"""

import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from striate.apps import kernels
from striate.ladder import predict
from striate.pages.show import serve, show
from striate.trace.columns import operations
from striate.trace.header import Header, TracedFile
from striate.trace.kinds import KINDS, LEVELS
from striate.trace.trace import Trace

RANKS, ROUNDS, FRAMES = 64, 3, 160
MOST_FIRST_PAINT_SECONDS, MOST_FRAME_MILLISECONDS = 2.5, 16.0
WINDOW_SECONDS = 0.05  # of the Jacobi solver, in which bars of ranks are to be seen
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-frame-rate-limit", "--disable-gpu-vsync"]

# A walk that pans over the middle of a part of time, a step every frame, while it zooms in by ten to the power of
# `zoom` and out again; says how long each frame took.
WALK = """async ([frames, part, widest, zoom]) => {
  const stage = window.striate.views.timeline;
  const [first, last] = part ?? stage.extent;
  const times = [];
  const next = () => new Promise((done) => requestAnimationFrame(done));
  let before = await next();
  for (let frame = 0; frame < frames; frame++) {
    const phase = frame / frames;
    const width = (last - first) * widest * 10 ** (-zoom * Math.abs(Math.sin(phase * Math.PI * 2)));
    const middle = first + (last - first) * (0.3 + 0.4 * phase);
    stage.page.set("time", [middle - width / 2, middle + width / 2]);
    const now = await next();
    times.push([now - before, stage.took]);
    before = now;
  }
  return times;
}"""
# Comes to rest on a hundredth of the run, and says which part of time the server gave for it.
REST = """() => {
  const { page, extent, model } = window.striate.views.timeline;
  const [middle, width] = [(extent[0] + extent[1]) / 2, (extent[1] - extent[0]) / 100];
  page.set("time", [middle - width / 2, middle + width / 2]);
  return new Promise((done) => {
    const look = () => {
      const { finer } = model.runs[0];
      if (finer) done([finer.from, finer.to]);
      else setTimeout(look, 20);
    };
    look();
  });
}"""
DRAWN = "performance.getEntriesByName('timeline drawn')[0].startTime / 1000"


# Items of ranks in a part of time: single bars, and bundles.
SEEN = """([from, to]) => {
  const [run] = window.striate.views.timeline.model.runs;
  const found = [0, 0];
  for (const lane of run.lanes.filter((one) => one.level === 0)) {
    for (let item = lane.first; item < lane.last; item++) {
      if (run.end[item] >= from && run.start[item] <= to) found[run.state[item] < 0 ? 1 : 0] += 1;
    }
  }
  return found;
}"""


@dataclass(frozen=True)
class Page:
    """A trace to show, and what its page may take."""

    name: str
    trace: Callable[[], Trace]
    most_megabytes: float
    most_seconds: float | None  # of CPU, to write it
    window: tuple[float, float] | None = None  # where all items of ranks are to be single bars


def random_operations(count: int) -> Trace:
    """Operations of random lengths and kinds, in which nothing repeats: the hardest to make small."""
    rng = np.random.default_rng(1)
    each = count // RANKS
    length = rng.lognormal(10, 1.5, count).astype(np.int64)
    gap = (rng.exponential(2e4, count) * (rng.random(count) < 0.7)).astype(np.int64)
    end = np.cumsum((length + gap).reshape(RANKS, each), axis=1).ravel()
    words = [KINDS.index(kind) for kind in ("read", "write", "send", "recv", "allreduce", "wait")]
    kind = rng.choice(words, count, p=[0.3, 0.3, 0.1, 0.1, 0.1, 0.1])
    columns = {
        "rank": np.repeat(np.arange(RANKS), each),
        "kind": kind,
        "level": np.where(kind < 2, LEVELS.index("posix"), LEVELS.index("mpi")),
        "start": end - length,
        "end": end,
        "bytes": rng.integers(1, 1 << 20, count),
        "offset": rng.integers(0, 1 << 32, count),
        "file": rng.integers(0, 5, count),
    }
    files = tuple(TracedFile(f"/scratch/field{number}") for number in range(5))
    return Trace.of(operations(count, columns), Header(ranks=RANKS, program="random", files=files))


def jacobi() -> Trace:
    """The timeline of `striate predict kernel:jacobi,steps=5000,every=500 westmere --ranks 8 --timeline t.parquet`."""
    workload = kernels.workload("jacobi", ranks=8, steps=5000, every=500)
    timeline = predict(workload, "westmere", timeline=True).timeline
    assert timeline is not None
    return timeline


PAGES = (
    Page("1 million operations", lambda: random_operations(1_000_000), 5.0, 3.0),
    Page("10 million operations", lambda: random_operations(10_000_000), 5.0, None),
    Page("jacobi, 5,000 steps", jacobi, 5.0, None, (1.0, 1.0 + WINDOW_SECONDS)),
)


def measured(browser, address: str, *, served: bool) -> tuple[float, list[list[float]]]:
    """Seconds to the first paint, and what `walked` says of a walk over the whole and, served, over a finer part."""
    rounds = np.array([visited(browser, address, served=served) for _ in range(ROUNDS)])
    paint, *frames = rounds.min(axis=0).tolist()
    return paint, [frames[at : at + 3] for at in range(0, len(frames), 3)]


def visited(browser, address: str, *, served: bool) -> tuple[float, ...]:
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    tab = context.new_page()
    tab.goto(address)
    tab.locator("html[data-ready=true]").wait_for(state="attached")
    tab.evaluate("document.getElementById('timeline').scrollIntoView()")
    found = (tab.evaluate(DRAWN), *walked(tab, None, 1.0, 2.0))
    if served:
        found += walked(tab, tab.evaluate(REST), 0.5, 0.0)
    context.close()
    return found


def walked(tab, part: list[float] | None, widest: float, zoom: float) -> tuple[float, float, float]:
    """Frames on the way, in ms: the 95th percentile by the clock and of our drawing, the mean of the page's thread."""
    session = tab.context.new_cdp_session(tab)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def cpu_seconds() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")

    before = cpu_seconds()
    clock, own = (
        sorted(times) for times in zip(*tab.evaluate(WALK, [FRAMES, part, widest, zoom]), strict=True)
    )
    cpu = (cpu_seconds() - before) / FRAMES * 1e3
    return clock[int(0.95 * FRAMES)], own[int(0.95 * FRAMES)], cpu


def main(numbers: Sequence[int] = ()) -> int:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        print("no Chromium with Playwright's driver: nothing measured")
        return 0
    chosen = [PAGES[number - 1] for number in numbers] or PAGES
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=SWITCHES)
        missed = [shown(browser, page) for page in chosen]
        browser.close()
    return int(any(missed))


def shown(browser, page: Page) -> bool:
    """Whether a page takes more than it may."""
    trace = page.trace()
    began = time.process_time()
    text = show(trace)
    spent = time.process_time() - began
    size = len(text.encode()) / 1e6
    aim = "" if page.most_seconds is None else f" (at most {page.most_seconds:.0f})"
    print(
        f"{page.name}, {len(trace):,} rows: {size:.2f} MB (at most {page.most_megabytes:.0f}), "
        f"written in {spent:.2f} s of CPU{aim}"
    )
    missed = size > page.most_megabytes or spent > (page.most_seconds or float("inf"))
    server = serve(trace)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(text)
        for label, address in (("page", path.as_uri()), ("served", server.address)):
            paint, walks = measured(browser, address, served=label == "served")
            print(f"  {label:7s} first paint {paint:.2f} s (at most {MOST_FIRST_PAINT_SECONDS:.1f})")
            missed |= paint > MOST_FIRST_PAINT_SECONDS
            for (clock, own, cpu), what in zip(walks, ("zoom and pan", "pan, zoomed in"), strict=False):
                print(
                    f"    {what}: {clock:.1f} ms per frame at the 95th percentile (at most "
                    f"{MOST_FRAME_MILLISECONDS:.0f}), {own:.1f} ms of it drawing; mean CPU time {cpu:.1f} ms"
                )
                missed |= clock > MOST_FRAME_MILLISECONDS
        if page.window is not None:
            missed |= not fine_ranks(browser, path.as_uri(), page.window)
    server.shutdown()
    server.server_close()
    return missed


def fine_ranks(browser, address: str, window: tuple[float, float]) -> bool:
    """Whether ranks have bars, and bars only, in a part of time."""
    tab = browser.new_page()
    tab.goto(f"{address}#t={window[0]},{window[1]}")
    tab.locator("html[data-ready=true]").wait_for(state="attached")
    bars, bundles = tab.evaluate(SEEN, list(window))
    tab.close()
    print(f"  in {window[1] - window[0]:.3f} s ranks have {bars:,} bars and {bundles:,} bundles")
    return bars > 0 and bundles == 0


if __name__ == "__main__":
    sys.exit(main([int(number) for number in sys.argv[1:]]))
