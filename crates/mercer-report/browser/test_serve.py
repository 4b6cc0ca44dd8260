"""The prediction page of `mercer serve`, from pasted data to predictions."""

import os
import re
import subprocess

import pytest

from shared import skip_without

PROGRAM = os.environ.get("MERCER_PROGRAM")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Starts a server for a model of short words and returns its address."""
    if not PROGRAM:
        skip_without("program not found: set MERCER_PROGRAM")
    folder = tmp_path_factory.mktemp("serve")
    table = folder / "words.csv"
    rows = [("GATTACA", "x"), ("GATTTCA", "x"), ("GATACA", "x"), ("CCGGCC", "y"), ("CCGCCC", "y"), ("CGGCCC", "y")] * 3
    table.write_text("word,class\n" + "".join(f"{w},{c}\n" for w, c in rows), encoding="utf-8")
    fit = [PROGRAM, "fit", str(table), "--type", "word=strings", "-k", "spectrum(k=2)", "-l", "svc(C=1)", "--conformal", "cv(3)", "-o", str(folder / "m.mercer")]
    subprocess.run(fit, check=True, capture_output=True)
    running = subprocess.Popen(
        [PROGRAM, "serve", str(folder / "m.mercer"), "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    address = None
    for line in running.stdout:
        found = re.search(r"http://\S+", line)
        if found:
            address = found.group()
            break
    yield address
    running.terminate()
    assert running.wait(20) in (0, 130)


@pytest.fixture
def page(browser, server):
    context = browser.new_context()
    page = context.new_page()
    complaints = []
    page.on("pageerror", lambda e: complaints.append(str(e)))
    page.on("dialog", lambda d: (complaints.append(d.message), d.dismiss()))
    page.on("request", lambda r: None if r.url.startswith(server) else complaints.append(r.url))
    page.goto(server)
    page.wait_for_selector("body[data-ready]")
    yield page
    context.close()
    assert complaints == []


def test_pasted_data_is_predicted_and_explained(page):
    page.fill("#data", "word\nGATTACA\nCCGGCC\n")
    page.click("#go")
    page.wait_for_selector("#out table")
    cells = page.locator("#out > .wide > table > tr").all_inner_texts()
    assert re.search(r"\bx\b", cells[1]) and re.search(r"\by\b", cells[2])
    page.locator("#out summary").first.click()
    assert re.search(r"GA|TT|AC|AT|TA", page.locator("#out details").first.inner_text())


def test_sets_and_objects_outside_of_the_domain_are_shown(page):
    page.fill("#data", "word\nGATTACA\nZZZZZZ\n")
    page.fill("#confidence", "0.8")
    page.click("#go")
    page.wait_for_selector("#out table")
    rows = page.locator("#out > .wide > table > tr").all_inner_texts()
    assert "80 % set" in rows[0] and "typicality" in rows[0]
    assert "inside" in rows[1] and "outside" in rows[2]
    page.fill("#confidence", "0")
    page.click("#go")
    # The page's policy forbids functions that are evaluated in it again and again.
    page.locator("#out").filter(has_not_text="typicality").wait_for()


def test_errors_are_shown_and_html_is_text(page):
    page.fill("#data", "other\n<img src=x onerror=alert(1)>\n")
    page.click("#go")
    page.wait_for_selector("#out .fault")
    assert "word" in page.locator("#out .fault").inner_text()
    page.fill("#data", "id,word\n<img src=x onerror=alert(1)>,GATTACA\n")
    page.click("#go")
    page.wait_for_selector("#out table")
    assert page.locator("#out img").count() == 0
