"""A headless Chromium that Playwright drives; pages that say something on the console fail their test."""

import shutil

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="session")
def browser():
    driver = pytest.importorskip("playwright.sync_api", reason="needs Playwright's driver")
    if CHROMIUM is None:
        pytest.skip("no Chromium is to be had")
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """A function of a page's text (or address) that opens it, waits until it is drawn, and listens for complaints."""
    contexts, complaints = [], []

    def opened(page, *, anchor="", **options):
        address = page
        if not page.startswith("http://127.0.0.1"):
            path = tmp_path / f"page-{len(contexts)}.html"
            path.write_text(page, encoding="utf-8")
            address = path.as_uri()
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 800}} | options)
        contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(60_000)
        tab.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on("dialog", lambda dialog: (complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        tab.goto(address + anchor)
        tab.locator("html[data-ready=true]").wait_for(state="attached")
        return tab

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
