"""The timeline in a real browser, clicked through: zoom, pan, hover, search, hide, select, compare, theme, print."""

import threading

import pytest

import striate
from browser.stage import STAGE, VIEW, colours_of, painted, place, reveal, until, view
from striate.pages.show import serve
from striate.pages.views import timeline
from striate.trace.kinds import KINDS
from unit.pages.runs import busy, small


@pytest.fixture(scope="module")
def two_runs():
    return striate.show(small(program="before"), small(slower=1.5, program="after"))


def test_the_wheel_zooms_around_the_pointer_and_dragging_pans(open_page, two_runs):
    tab = open_page(two_runs)
    reveal(tab)
    first, last = view(tab)
    at = place(tab, 0.05, ("rank 0", 0))
    tab.mouse.move(at["x"], at["y"])
    tab.mouse.wheel(0, -500)
    until(tab, f"{VIEW}[1] - {VIEW}[0] < {(last - first) * 0.8}")
    zoomed = view(tab)
    still = place(tab, 0.05, ("rank 0", 0))

    assert still["x"] == pytest.approx(at["x"], abs=2)
    tab.mouse.down()
    tab.mouse.move(at["x"] - 200, at["y"], steps=4)
    tab.mouse.up()
    painted(tab)
    panned = view(tab)
    assert panned[0] > zoomed[0]
    assert panned[1] - panned[0] == pytest.approx(zoomed[1] - zoomed[0])


def test_keys_zoom_and_pan(open_page, two_runs):
    tab = open_page(two_runs)
    reveal(tab)
    tab.focus(".stage")
    first, last = view(tab)
    tab.keyboard.press("w")
    zoomed = view(tab)
    assert zoomed[1] - zoomed[0] < last - first

    tab.keyboard.press("d")
    assert view(tab)[0] > zoomed[0]
    tab.keyboard.press("ArrowLeft")
    assert view(tab) == pytest.approx(zoomed)
    tab.keyboard.press("0")
    assert view(tab) == pytest.approx([first, last])


def test_pointing_at_a_bar_tells_everything_with_units(open_page, two_runs):
    tab = open_page(two_runs)
    reveal(tab)
    at = place(tab, 0.080, ("rank 1", 0), lane_y=0.5)
    calls = tab.evaluate(
        f"{STAGE}.strips.find((one) => one.label === 'rank 1').lanes.map((one) => [one.lane.layer, one.y])"
    )
    at["y"] -= calls[-1][1] - next(y for layer, y in calls if layer == 1)
    tab.mouse.move(at["x"], at["y"])
    tip = tab.locator("#timeline > .tip")
    tip.wait_for(state="visible")
    text = tip.inner_text()

    assert text.startswith("read")
    for words in (
        "call_read",
        "before, rank 1",
        "70",
        "20 ms",
        "4 KiB (4\u202f096 B)",
        "205 kB/s",
        "data.bin",
    ):
        assert words in text
    tab.mouse.click(at["x"], at["y"])
    assert "call_read" in tab.locator("#timeline .pinned").inner_text()
    tab.focus(".stage")
    tab.keyboard.press("Escape")
    tab.locator("#timeline .pinned").wait_for(state="hidden")


def test_bars_can_be_read_by_keyboard_alone(open_page, two_runs):
    tab = open_page(two_runs)
    tab.focus(".stage")
    titles = []
    for key in ("Enter", "j", ".", ",", "j"):
        tab.keyboard.press(key)
        titles.append(tab.locator("#timeline .pinned strong").inner_text())

    assert titles == ["step", "write", "send", "write", "write"]


def test_totals_are_those_of_the_trace(open_page, monkeypatch):
    run = busy(3000)
    monkeypatch.setattr(timeline, "MOST_ITEMS", 300)
    tab = open_page(striate.show(run))
    found = tab.evaluate(
        f"""() => {{
          const {{ model }} = {STAGE};
          return Object.fromEntries(model.states.map((state) => [state.name, state.seconds[0]]));
        }}"""
    )

    time, kind = run.column("end") - run.column("start"), run.column("kind")
    expected = {KINDS[code]: float(time[kind == code].sum()) / 1e9 for code in set(kind.tolist())}
    assert found == pytest.approx(expected, rel=0.01)
    assert tab.evaluate(f"{STAGE}.model.runs[0].state.length") < 400


def test_searching_fades_the_rest_and_goes_from_match_to_match(open_page, two_runs):
    tab = open_page(two_runs)
    before = colours_of(tab)
    tab.fill("input[type=search]", "read")
    painted(tab)

    assert tab.locator("#timeline .count").inner_text() == "4 found"
    assert set(colours_of(tab)) != set(before)
    tab.keyboard.press("Enter")
    painted(tab)
    assert tab.locator("#timeline .count").inner_text() == "1 of 4 found"
    first, last = view(tab)
    assert first < 0.070
    assert last > 0.090
    assert last - first < 0.1


def test_a_hidden_state_is_not_drawn(open_page, two_runs):
    tab = open_page(two_runs)
    before = colours_of(tab)
    chip = tab.locator("#timeline .chip", has_text="read")
    chip.click()
    painted(tab)
    hidden = colours_of(tab)

    assert chip.get_attribute("aria-pressed") == "false"
    assert len(before) - len(hidden) >= 1
    tab.locator("#timeline .chip", has_text="show all").click()
    painted(tab)
    assert colours_of(tab) == before


def test_a_selected_range_has_statistics(open_page, two_runs):
    tab = open_page(two_runs)
    reveal(tab)
    start, end = (place(tab, seconds, ("rank 0", 0)) for seconds in (0.0705, 0.0895))
    tab.keyboard.down("Shift")
    tab.mouse.move(start["x"], start["y"])
    tab.mouse.down()
    tab.mouse.move(end["x"], start["y"], steps=5)
    tab.mouse.up()
    tab.keyboard.up("Shift")
    panel = tab.locator("#timeline .selection")
    panel.locator("table").first.wait_for()
    text = panel.inner_text()

    assert "Selected: 19 ms from 70.5 ms to 89.5 ms" in text
    row = panel.locator("tr", has_text="read").first.inner_text().split("\t")
    assert row[1:4] == ["2", "38 ms", "100.0 %"]
    until(tab, "location.hash.includes('s=0.07')")


def test_the_address_leads_back(open_page, two_runs):
    tab = open_page(two_runs, anchor="#t=0.01,0.02&hide=read&q=write&align=end&theme=dark&s=0.012,0.014")

    assert view(tab) == pytest.approx([0.01, 0.02])
    assert tab.locator("#timeline .chip", has_text="read").get_attribute("aria-pressed") == "false"
    assert tab.input_value("input[type=search]") == "write"
    assert tab.evaluate("document.documentElement.dataset.theme") == "dark"
    assert "Selected: 2 ms" in tab.locator("#timeline .selection").inner_text()
    assert tab.evaluate(f"{STAGE}.model.runs.map((run) => run.shift)")[0] == pytest.approx(0.045)


def test_two_runs_share_zoom_and_can_be_aligned_and_interleaved(open_page, two_runs):
    tab = open_page(two_runs)
    shifts = f"{STAGE}.model.runs.map((run) => run.shift)"
    papers = tab.evaluate(f"[{STAGE}.colours['run-0'], {STAGE}.colours['run-1']]")
    assert papers[0] != papers[1]  # backgrounds tell runs apart
    assert tab.evaluate(shifts) == [0, 0]

    tab.select_option("select[aria-label='Align runs by']", "end")
    assert tab.evaluate(shifts) == pytest.approx([0.045, 0])
    tab.select_option("select[aria-label='Align runs by']", "region step")
    assert tab.evaluate(shifts) == pytest.approx([0, 0])
    tab.check("text=interleave rows")
    painted(tab)
    rows = tab.evaluate(
        f"{STAGE}.strips.filter((one) => one.kind === 'row').map((one) => [one.run.number, one.label])"
    )
    assert rows == [[0, "rank 0"], [1, "rank 0"], [0, "rank 1"], [1, "rank 1"]]

    tab.evaluate("window.striate.page.set('time', [0.01, 0.05])")
    painted(tab)
    one, other = (place(tab, 0.03, ("rank 0", number)) for number in (0, 1))
    assert one["x"] == pytest.approx(other["x"])


def test_differences_can_be_read_both_ways(open_page, two_runs):
    tab = open_page(two_runs)
    first = tab.locator("#compare tbody tr").first

    assert "+40 ms" in first.inner_text()
    tab.select_option("select[aria-label='Base run']", "1")
    tab.select_option("select[aria-label='Compared run']", "0")
    assert "−40 ms" in tab.locator("#compare tbody tr").first.inner_text()
    headings = tab.locator("#compare h3").all_inner_texts()
    assert headings == ["MPI-IO calls", "MPI calls", "System calls", "Regions and computation", "Files"]
    tab.select_option("select[aria-label='Phase']", label="step")
    assert "Files" not in tab.locator("#compare h3").all_inner_texts()


def test_the_theme_can_be_switched(open_page, two_runs):
    tab = open_page(two_runs, color_scheme="light")
    light = set(colours_of(tab))
    tab.click("text=Light / dark")
    painted(tab)

    assert tab.evaluate("document.documentElement.dataset.theme") == "dark"
    assert not light & set(colours_of(tab))
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 22, 28)"


def test_a_dark_page_prints_light_and_without_controls(open_page, two_runs):
    tab = open_page(two_runs, color_scheme="dark")
    tab.evaluate(
        "window.themes = [];"
        "addEventListener('beforeprint', () => themes.push(document.documentElement.dataset.theme))"
    )
    content = tab.pdf()

    assert content.startswith(b"%PDF")
    assert tab.evaluate("themes") == ["light"]
    until(tab, "document.documentElement.dataset.theme === 'dark'")
    tab.emulate_media(media="print")
    assert not tab.locator("#timeline .toolbar").first.is_visible()
    assert tab.locator(".card").first.is_visible()


def test_a_group_folds_into_the_mean_of_its_rows(open_page, two_runs):
    tab = open_page(two_runs)
    reveal(tab)
    box = tab.locator("#timeline .stage").bounding_box()
    tab.mouse.click(box["x"] + 40, box["y"] + 30 + 12)
    painted(tab)
    labels = tab.evaluate(f"{STAGE}.strips.map((one) => one.label)")

    assert labels[:2] == ["ranks", "mean of 2"]


def test_a_forecasts_bounds_are_drawn_over_an_observed_run(open_page):
    from striate.apps import checkpoint
    from striate.ladder import predict

    forecast = predict(checkpoint.workload(ranks=4), "westmere", within=None, rung="resource")
    tab = open_page(striate.show(small(), forecast))

    assert tab.evaluate(f"{STAGE}.model.bounds.length") == 1
    assert "below the lower bound of the forecast" in tab.locator("#report").inner_text()


def test_bundles_show_shares_and_a_server_gives_their_bars(open_page, monkeypatch):
    monkeypatch.setattr(timeline, "MOST_ITEMS", 60)
    server = serve(busy(2000))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        tab = open_page(server.address)
        run = f"{STAGE}.model.runs[0]"
        assert tab.evaluate(f"{run}.state.some((state) => state < 0)")
        tab.evaluate("window.striate.page.set('time', [0.02, 0.03])")
        until(tab, f"{run}.finer?.whole")
        painted(tab)
        assert tab.evaluate(f"{run}.finer.state.every((state) => state >= 0)")
        tab.evaluate("window.striate.page.set('query', 'sync')")
        painted(tab)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202eevil" + "x" * 10_000


def test_hostile_names_are_shown_as_text(open_page):
    hostile = small(program=HOSTILE, files=(HOSTILE,), regions=(HOSTILE,), flags=(HOSTILE,))
    tab = open_page(striate.show(hostile, small(slower=2, program="__proto__", files=("constructor",))))
    reveal(tab)

    assert tab.locator("img:not(.swatch)").count() == 0
    assert tab.locator("main script").count() == 0
    assert "<img src=x onerror=alert(1)>" in tab.locator("#report").inner_text()
    assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    at = place(tab, 0.030, ("rank 0", 0))
    tab.mouse.move(at["x"], at["y"])
    tab.locator("#timeline > .tip").wait_for(state="visible")
    assert "<img src=x" in tab.locator("#timeline > .tip").inner_text()
    tab.fill("input[type=search]", "<img")
    painted(tab)
