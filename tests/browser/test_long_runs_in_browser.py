"""Long runs in a real browser: bars of ranks beside floods of messages, minimap, bookmarks, tables, served parts."""

import threading
from contextlib import contextmanager

import pytest

import striate
from browser.stage import STAGE, VIEW, colours_of, painted, place, reveal, until, view
from striate.pages import show
from striate.pages.show import serve
from striate.pages.views import timeline
from unit.pages.runs import busy, flooded, launched, small, trace

RUN = f"{STAGE}.model.runs[0]"

# Items of a level between two moments: how many are single bars, and how many bundles.
SEEN = """([level, from, to]) => {
  const { model, view } = window.striate.views.timeline;
  const run = model.runs[0].finer ?? model.runs[0];
  const found = [0, 0];
  for (const lane of run.lanes.filter((one) => one.level === level)) {
    for (let item = lane.first; item < lane.last; item++) {
      if (run.end[item] >= from && run.start[item] <= to) found[run.state[item] < 0 ? 1 : 0] += 1;
    }
  }
  return found;
}"""


@contextmanager
def served(*runs):
    server = serve(*runs)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server.address
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_ranks_keep_their_bars_beside_a_flood_of_messages(open_page, monkeypatch):
    monkeypatch.setattr(timeline, "MOST_ITEMS", 9000)
    tab = open_page(striate.show(flooded()), anchor="#t=1.0,1.05")

    # 2 ranks call once a millisecond; messages on links are bundled, calls are not
    assert tab.evaluate(SEEN, [0, 1.0001, 1.0499]) == [100, 0]
    singles, bundles = tab.evaluate(SEEN, [2, 1.0001, 1.0499])
    assert bundles > 0
    assert singles < 100


def test_a_served_page_shows_fine_rows_where_its_address_leads(open_page, monkeypatch):
    monkeypatch.setattr(timeline, "MOST_ITEMS", 60)
    with served(busy(2000)) as address:
        tab = open_page(address, anchor="#t=0.02,0.03")
        until(tab, f"{RUN}.finer?.whole")
        painted(tab)

        assert view(tab) == pytest.approx([0.02, 0.03])
        singles, bundles = tab.evaluate(SEEN, [0, 0.02, 0.03])
        assert singles > 100
        assert bundles == 0


def test_a_served_page_asks_only_for_what_is_finer_than_its_own_items(open_page, monkeypatch):
    monkeypatch.setattr(timeline, "MOST_ITEMS", 4000)
    monkeypatch.setattr(show, "MOST_ITEMS", 500)
    asked = "performance.getEntriesByType('resource').filter((one) => one.name.includes('tile')).length"
    with served(busy(40_000)) as address:
        tab = open_page(address)
        painted(tab)
        tab.wait_for_timeout(200)  # longer than a view rests before the page asks

        assert tab.evaluate(asked) == 0
        tab.evaluate("window.striate.page.set('time', [0.02, 0.03])")
        until(tab, f"{RUN}.finer?.whole")
        assert tab.evaluate(asked) == 1


def test_the_minimap_shows_the_view_and_moves_it(open_page):
    tab = open_page(striate.show(small()), anchor="#t=0.01,0.02")
    reveal(tab)
    map_ = tab.locator(".minimap")
    until(tab, "document.querySelector('.minimap canvas').width > 600")
    first, last = tab.evaluate(f"{STAGE}.extent")
    box = map_.bounding_box()

    def x(seconds):
        return box["x"] + (seconds - first) / (last - first) * box["width"]

    tab.mouse.click(x(0.080), box["y"] + 15)  # outside the frame: it comes here
    assert view(tab) == pytest.approx([0.075, 0.085], abs=3e-4)
    tab.mouse.move(x(0.080), box["y"] + 15)
    tab.mouse.down()
    tab.mouse.move(x(0.030), box["y"] + 15, steps=4)
    tab.mouse.up()
    assert view(tab) == pytest.approx([0.025, 0.035], abs=6e-4)
    map_.dblclick(position={"x": box["width"] * 0.9, "y": 15})
    assert view(tab) == pytest.approx([first, last])


def test_the_minimap_has_the_colours_of_the_bars(open_page):
    tab = open_page(striate.show(small()))
    until(tab, "document.querySelector('.minimap canvas').width > 600")
    found = tab.evaluate(
        """() => {
          const canvas = document.querySelector(".minimap canvas");
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          return [...new Set(new Int32Array(data.buffer))];
        }"""
    )

    assert len(set(found) & {int(key) for key in colours_of(tab)}) >= 3


def test_bookmarks_lead_back_have_names_and_live_in_the_address(open_page):
    text = striate.show(small())
    tab = open_page(text, anchor="#t=0.01,0.02")
    tab.focus(".stage")
    tab.keyboard.press("b")
    tab.keyboard.press("0")
    mark = tab.locator(".bookmark")
    assert mark.locator("button").first.inner_text() == "10 ms at 10 ms"
    mark.locator("button[title=Rename]").click()
    tab.keyboard.type("first, <b>write</b> & more")
    tab.keyboard.press("Enter")
    until(tab, "location.hash.includes('more')")
    address = tab.evaluate("location.hash")

    again = open_page(text, anchor=address)
    mark = again.locator(".bookmark")
    assert mark.locator("button").first.inner_text() == "first, <b>write</b> & more"
    mark.locator("button").first.click()
    assert view(again) == pytest.approx([0.01, 0.02])
    mark.locator("button[title=Remove]").click()
    assert again.locator(".bookmark").count() == 0


def table(tab):
    rows = tab.locator("#timeline .selection table").first.locator("tr").all_inner_texts()
    return [row.split("\t") for row in rows]


def test_the_table_of_a_selection_is_by_rank_file_and_function(open_page):
    tab = open_page(striate.show(small()), anchor="#s=0.0,0.09")

    assert [row[:3] for row in table(tab)[1:]] == [
        ["write", "2", "80 ms"],
        ["read", "2", "40 ms"],
        ["recv", "1", "4 ms"],
        ["send", "1", "1 ms"],
    ]
    tab.select_option("select[aria-label='Table by']", label="by rank")
    assert [row[:3] for row in table(tab)[1:]] == [["rank 1", "3", "64 ms"], ["rank 0", "3", "61 ms"]]
    tab.select_option("select[aria-label='Table by']", label="by file")
    assert [row[:3] for row in table(tab)[1:]] == [["data.bin", "4", "120 ms"], ["no file", "2", "5 ms"]]
    tab.select_option("select[aria-label='Table by']", label="by function")
    assert [row[0] for row in table(tab)[1:]] == ["call_write", "call_read", "call_recv", "call_send"]
    tab.select_option("select[aria-label='Level of the table']", label="system calls of ranks")
    assert [row[:3] for row in table(tab)[1:]] == [["call_write", "4", "60 ms"]]


def test_the_table_can_be_copied(open_page):
    tab = open_page(
        striate.show(small(files=("=1+1",))),
        anchor="#s=0.0,0.09",
        permissions=["clipboard-read", "clipboard-write"],
    )
    tab.select_option("select[aria-label='Table by']", label="by file")
    tab.click("#timeline .selection button:has-text('Copy')")
    tab.locator("#timeline .selection [role=status]", has_text="copied").wait_for()
    lines = [line.split("\t") for line in tab.evaluate("navigator.clipboard.readText()").split("\n")]

    assert lines[0][3:6] == ["file", "operations", "seconds"]
    assert lines[1][0] == "solver"
    assert lines[1][3:5] == ["'=1+1", "4"]  # no formula
    assert float(lines[1][5]) == pytest.approx(0.12)
    assert int(lines[1][7]) == 2 * (1 << 20) + 2 * 4096


def test_bundles_say_that_files_are_not_known(open_page, monkeypatch):
    monkeypatch.setattr(timeline, "MOST_ITEMS", 20)
    tab = open_page(striate.show(busy(2000)), anchor="#s=0.0,0.05")
    tab.select_option("select[aria-label='Table by']", label="by file")

    assert any(row[0].startswith("in bundles") for row in table(tab)[1:])


def test_a_run_that_was_long_in_init_starts_with_the_forecast(open_page):
    tab = open_page(striate.show(launched(program="observed"), small(program="other")))
    starts = tab.evaluate(
        f"{STAGE}.model.runs.map((run) => Math.min(...run.start.filter((at) => at >= 0)) + run.shift)"
    )

    # the first call behind MPI_Init begins 200 ms after the first rank left it; the other run begins at once
    assert starts == pytest.approx([0.2, 0.0])
    assert tab.evaluate(f"{STAGE}.model.runs[0].seconds") == pytest.approx(2.1)
    tab.select_option("select[aria-label='Align runs by']", "end")
    shifts = tab.evaluate(f"{STAGE}.model.runs.map((run) => run.shift)")
    assert shifts[1] - shifts[0] == pytest.approx(2.1 - 0.09)


def test_totals_do_not_add_a_servers_work_to_the_calls_it_was_for(open_page):
    rows = [
        (0, "mpi-io", "write", 0, 10, {"bytes": 1000, "file": 0, "offset": 0}),
        (0, "server", "write", 2, 9, {"bytes": 1000, "resource": 0}),
        (-1, "disk", "write", 3, 8, {"bytes": 1000, "resource": 1}),
    ]
    made = trace(rows, ranks=1, regions=(), source="simulated", resources=("server 0", "disk 0.0"))
    tab = open_page(striate.show(made))

    assert tab.evaluate(f"{STAGE}.model.states[0].seconds[0]") == pytest.approx(0.010)
    at = place(tab, 0.005, ("server 0", 0))
    assert at["x"] > 0
    assert tab.evaluate(f"{VIEW}[0]") == 0


# Time of every state over all items, of the run as it is and with bundles of a width.
COARSE = """(width) => {
  const { model } = window.striate.views.timeline;
  const [run] = model.runs;
  const total = (one) => {
    const found = new Array(model.states.length).fill(0);
    for (const { first, last } of one.lanes) {
      for (let item = first; item < last; item++) {
        const length = one.end[item] - one.start[item];
        if (one.state[item] >= 0) {
          found[one.state[item]] += length;
          continue;
        }
        const { first: firstPart, state, share } = one.parts;
        for (let part = firstPart[one.place[item]]; part < firstPart[one.place[item] + 1]; part++) {
          found[state[part]] += share[part] * length;
        }
      }
    }
    return found;
  };
  const made = [...run.coarse.values()].filter((one) => one !== run);
  return [total(run), run.state.length, made.map((one) => [total(one), one.state.length])];
}"""


@pytest.mark.parametrize("most", [10**6, 3000])
def test_frames_in_a_hurry_show_the_same_shares_of_time(open_page, monkeypatch, most):
    monkeypatch.setattr(timeline, "MOST_ITEMS", most)
    tab = open_page(striate.show(busy(40_000)))
    until(tab, f"{RUN}.coarse?.size >= 1")
    expected, items, made = tab.evaluate(COARSE, 0.001)

    assert made or most == 3000
    for found, fewer in made:
        assert found == pytest.approx(expected, rel=1e-3)
        assert fewer < 0.7 * items
