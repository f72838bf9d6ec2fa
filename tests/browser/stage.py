"""What tests ask of a timeline in a browser: its view, where moments are on the screen, which colours it has."""

import time

STAGE = "window.striate.views.timeline"
VIEW = f"{STAGE}.view"


def painted(tab):
    """Waits until what was asked for is on the screen."""
    tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def until(tab, condition):
    """Waits until a condition holds; Playwright's own way would need `eval`, which the page's policy forbids."""
    deadline = time.monotonic() + 60
    while not tab.evaluate(condition):
        assert time.monotonic() < deadline, f"never came true: {condition}"
        painted(tab)


def view(tab):
    return tab.evaluate(VIEW)


def place(tab, seconds, row, lane_y=0.5):
    """Client coordinates of a moment on the row of this label (and run, by order)."""
    return tab.evaluate(
        """([seconds, label, number, share]) => {
          const stage = window.striate.views.timeline;
          const strip = stage.strips.filter((one) => one.kind === "row" && one.label === label)[number];
          const box = stage.frame.getBoundingClientRect();
          const lane = strip.lanes.at(-1);
          const [from, to] = stage.view;
          return {
            x: box.left + stage.gutter
              + ((seconds + strip.run.shift - from) / (to - from)) * (stage.width - stage.gutter),
            y: box.top + 30 + strip.y - stage.frame.scrollTop + 2 + lane.y + lane.height * share,
          };
        }""",
        [seconds, *row, lane_y],
    )


def reveal(tab):
    tab.evaluate("document.getElementById('timeline').scrollIntoView()")
    painted(tab)


def colours_of(tab):
    """How many pixels of the drawing have each colour."""
    return tab.evaluate(
        """() => {
          const { image } = window.striate.views.timeline;
          const found = {};
          for (const pixel of image.pixels) found[pixel] = (found[pixel] ?? 0) + 1;
          return found;
        }"""
    )
