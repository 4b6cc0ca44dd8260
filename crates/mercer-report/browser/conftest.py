"""Fixtures: a browser and the pages under test, which must not report errors."""

import itertools
import os
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from shared import GIVEN, SAMPLES, assemble, sample, skip_without


@pytest.fixture(scope="session")
def browser():
    found = os.environ.get("MERCER_CHROMIUM") or next(
        filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None
    )
    if not found:
        skip_without("Chromium not found: set MERCER_CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """The files of the pages under test, by name."""
    if GIVEN:
        return {p.stem: p for p in Path(GIVEN).glob("*.html")}
    folder = tmp_path_factory.mktemp("pages")
    for one in SAMPLES:
        (folder / f"{one.stem}.html").write_text(assemble(sample(one.stem)), encoding="utf-8")
    return {p.stem: p for p in folder.glob("*.html")}


@pytest.fixture
def open_page(browser):
    """Opens a file; console messages, requests and dialogs fail the test at its end."""
    contexts, complaints = [], []

    def open_(path, width=1360, height=900, scheme="light", before=None):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        contexts.append(context)
        context.set_default_timeout(15000)
        page = context.new_page()
        page.on("console", lambda m: complaints.append(f"console {m.type}: {m.text}"))
        page.on("pageerror", lambda e: complaints.append(f"error: {e}"))

        def popped(dialog):
            complaints.append(f"dialog: {dialog.message}")
            dialog.dismiss()

        page.on("dialog", popped)
        own = path.resolve().as_uri()

        def asked(route):
            if route.request.url == own:
                return route.continue_()
            complaints.append(f"request: {route.request.url[:200]}")
            return route.abort()

        context.route(re.compile(r"^(?!data:|blob:)"), asked)
        if before:
            page.add_init_script(before)
        page.goto(own)
        page.evaluate("window.mercer.ready.then(() => true)")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def open_document(open_page, tmp_path):
    """Opens the page of a document."""
    numbers = itertools.count()

    def open_(document, **options):
        path = tmp_path / f"page{next(numbers)}.html"
        path.write_text(assemble(document), encoding="utf-8")
        return open_page(path, **options)

    return open_
