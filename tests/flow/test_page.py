"""The page in a real browser: signing in, a deal, a flag, an answer, an approval, a lost line."""

import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from misdeal.clock import wall_s
from misdeal.web.phrases import forms_of
from tests.flow.watched import PASSWORD, Cable, Watched

sync_api: Any = pytest.importorskip(
    "playwright.sync_api", reason="drives a browser: pip install -r requirements-browser.lock"
)

CHROMIUM = shutil.which("chromium")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")

# Chromium asks makers and mirrors for things at every start unless it is told not to.
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
]

ALL_SEATS = "seats = [1, 2, 3, 4, 5, 6, 7, 8, 9]"
HEADS_UP = {
    ALL_SEATS: f"seats = [1, 2, 3]\ntable{ALL_SEATS}",
    'actions = "entered"': 'actions = "none"',
}
STUD = {
    'game = "holdem"': 'game = "caribbean-stud"',
    'rulebook = "tda-2024"': 'rulebook = "nsw-caribbean-stud"',
    ALL_SEATS: "seats = [1, 4]\ntableseats = [1, 2, 3, 4, 5, 6, 7]",
}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium: Any) -> Iterator[Any]:
    """A browser of somebody who has never been here."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, locale="en-GB")
    context.set_default_timeout(15_000)
    tab = context.new_page()
    faults: list[str] = []
    tab.on("pageerror", lambda error: faults.append(str(error)))
    yield tab
    context.close()
    assert faults == []


def sign_in(tab: Any, address: str, name: str = "inspector", password: str = PASSWORD) -> None:
    tab.goto(address)
    tab.fill("[name=name]", name)
    tab.fill("[name=password]", password)
    tab.click("button[type=submit]")


def words(tab: Any, selector: str) -> str:
    text: str = tab.inner_text(selector)
    return " ".join(text.split())


NOTE_WHEN = """selector => {
  window.seenAt = 0;
  const look = () => {
    if (!window.seenAt && document.querySelector(selector)) window.seenAt = Date.now();
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}"""


def test_a_hand_is_dealt_a_flag_appears_its_question_is_answered_and_the_answer_undone(
    tab: Any, tmp_path: Path
) -> None:
    with Watched(tmp_path, HEADS_UP, has_readers=True) as table:
        sign_in(tab, table.page.address, password="x" * 12)
        tab.wait_for_selector("text=Name or password is wrong.")
        sign_in(tab, table.page.address)
        tab.wait_for_selector("[data-place=S1] >> text=0 of 2")

        table.deal("S1", "S2", "S3", "S1", "S2", "S3")
        for seat in ("S1", "S2", "S3"):
            tab.wait_for_selector(f"[data-place={seat}] >> text=2 of 2")
        assert tab.locator("[data-place=S2] .card.back").count() == 2
        assert tab.locator(".ruling.quiet").count() == 1

        tab.evaluate(NOTE_WHEN, ".ruling h1")
        fault_s = wall_s()
        table.deal("S2")
        tab.wait_for_selector(".ruling.open h1")
        assert tab.evaluate("window.seenAt") / 1000 - fault_s < 1.0
        assert words(tab, ".question h2") == "Has there been substantial action?"
        assert words(tab, "[data-place=S2] .count") == "3 of 2"

        no = tab.locator(".answers button", has_text="No")
        assert "leads to MISDEAL" in no.inner_text()
        tab.wait_for_timeout(400)  # a tap is taken when what it hits has stood for a moment
        no.click()
        tab.wait_for_selector(".ruling.stop h1")
        assert words(tab, ".ruling.stop h1") == "MISDEAL - SEAT 2"
        assert "3 cards where 2 are due" in words(tab, ".ruling.stop .because")
        assert words(tab, "#shout").startswith("MISDEAL - SEAT 2.")

        tab.wait_for_timeout(400)
        tab.keyboard.press("u")
        tab.wait_for_selector(".ruling.open h1")
        tab.wait_for_selector(".log >> text=say undo")


def test_a_clause_opens_in_plain_words_and_a_statement_completes(tab: Any, tmp_path: Path) -> None:
    with Watched(tmp_path, HEADS_UP) as table:
        sign_in(tab, table.page.address)
        table.say("pack 51")
        tab.wait_for_selector(".ruling h1")
        tab.click(".ruling .cite >> nth=0")
        assert words(tab, "dialog .plain-words >> nth=0").endswith(".")
        tab.keyboard.press("Escape")
        tab.wait_for_selector("dialog", state="detached")
        tab.click(".log .link >> nth=0")
        assert words(tab, "dialog .plain-words") == words(tab, ".ruling .because")
        tab.keyboard.press("Escape")
        tab.wait_for_selector("dialog", state="detached")

        tab.keyboard.press("/")
        tab.keyboard.type("s3 fold")
        tab.wait_for_selector("#found >> text=act S3 fold")
        tab.keyboard.press("Tab")
        assert tab.input_value("#search") == "act S3 fold"
        tab.keyboard.press("Enter")
        tab.wait_for_selector("text=Refused: no hand is being played")
        tab.fill("#search", "wrong number")
        tab.wait_for_selector("#found >> text=report T-A5")
        tab.keyboard.press("Escape")
        tab.keyboard.press("1")
        tab.wait_for_selector(".log >> text=shuffle")


def test_an_inspector_frees_a_suspended_table_and_a_dealer_cannot(
    tab: Any, chromium: Any, tmp_path: Path
) -> None:
    with Watched(tmp_path, STUD) as table:
        sign_in(tab, table.page.address)
        tab.fill("#search", "fault")
        tab.wait_for_selector("#found >> text=fault NAME")
        tab.fill("#search", "fault jackpot-meter")
        tab.press("#search", "Enter")
        tab.wait_for_selector("text=PLAY SUSPENDED")
        assert tab.locator(".ruling.stop").count() == 1

        other = chromium.new_context(locale="de-DE").new_page()
        sign_in(other, table.page.address, "dealer")
        other.wait_for_selector("text=SPIEL UNTERBROCHEN")
        assert other.locator("button", has_text="Freigeben").count() == 0
        other.fill("#search", "approve")
        other.press("#search", "Enter")
        other.wait_for_selector("text=Abgelehnt")
        assert tab.locator(".ruling.stop").count() == 1

        table.say("restore jackpot-meter")
        tab.wait_for_timeout(400)
        tab.click("button:has-text('Approve')")
        tab.wait_for_selector(".ruling.stop", state="detached")
        other.wait_for_selector(".ruling.stop", state="detached")
        assert words(tab, ".log").count("approve inspector") == 1
        other.context.close()


def test_a_lost_line_is_shown_and_mended_without_a_gap(tab: Any, tmp_path: Path) -> None:
    with Watched(tmp_path, HEADS_UP) as table, Cable(table.page.port) as cable:
        sign_in(tab, f"http://127.0.0.1:{cable.port}/")
        table.say("pack 51")
        tab.wait_for_selector(".log >> text=pack 51")

        cable.pull()
        tab.wait_for_selector(".banner.lost")
        assert "Connection lost at" in words(tab, ".banner.lost")
        assert tab.locator("main.dimmed").count() == 1
        for count in (50, 49, 48):
            table.say(f"pack {count}")

        cable.plug()
        tab.wait_for_selector(".banner", state="detached")
        tab.wait_for_selector(".log >> text=pack 48")
        told = tab.locator(".log q").all_inner_texts()
        assert told == ["pack 48", "pack 49", "pack 50", "pack 51"]
        assert tab.locator("main.dimmed").count() == 0


def test_a_page_that_hears_nothing_says_since_when(tab: Any, tmp_path: Path) -> None:
    with Watched(tmp_path, HEADS_UP) as table, Cable(table.page.port) as cable:
        sign_in(tab, f"http://127.0.0.1:{cable.port}/")
        tab.wait_for_selector(".felt")
        cable.freeze()
        table.say("pack 51")
        tab.wait_for_selector(".banner.stale")
        assert words(tab, ".banner.stale").startswith("No news since ")
        assert tab.locator("main.dimmed").count() == 1
        assert tab.locator(".log q").count() == 0
        cable.freeze(is_frozen=False)
        tab.wait_for_selector(".banner", state="detached")
        tab.wait_for_selector(".log >> text=pack 51")


COMPLETED = {
    "s3 fold": ["act S3 fold"],
    "fold s3": ["act S3 fold"],
    "undo": ["say undo"],
    "app": ["approve"],
    "dismiss": ["say dismiss r7 TEXT"],
    "wrong number": ["report X-1"],
    "no such words": [],
    "  ": [],
}

STATES = """async () => {
  const { after, byWeight, empty, older } = await import("/static/state.js");
  const line = (id, at, hand = 1) => ({ at_ms: at, hand, ruling: { id, hand, state: "final" } });
  const table = { in_force: [] };
  let state = after(empty, "snapshot", { now_ms: 5, table, log: [line("r1", 1)], readers: [],
    unwatched: [] }, 100);
  state = after(state, "table", { now_ms: 6, table, log: [line("r2", 2), line("r3", 3)] }, 200);
  state = after(state, "pulse", { now_ms: 7 }, 300);
  const lost = after(after(state, "lost", null, 400), "lost", null, 500);
  const back = after(lost, "table", { now_ms: 8, table, log: [line("r3", 4)] }, 600);
  const many = Array.from({ length: 400 }, (_, n) => line("r" + n, n));
  const full = after(back, "table", { now_ms: 9, table, log: many }, 700);
  const sorts = ["noted", "final", "open", "stop"].map((sort, at_ms) => ({ sort, at_ms }));
  return {
    log: state.log.map((each) => each.ruling.id),
    now: [state.nowMs, state.heardMs, state.line],
    lost: [lost.line, lost.lostMs],
    back: back.line,
    full: [full.log.length, full.log[0].ruling.id],
    weights: byWeight([...sorts, { sort: "stop", at_ms: 9 }]).map((each) => each.sort + each.at_ms),
    older: older(back.log, 1, ["r2"]).map((each) => each.id),
    of_another_hand: older(back.log, 2, []).length,
  };
}"""


def test_what_the_page_knows_follows_from_what_it_is_told(tab: Any, tmp_path: Path) -> None:
    with Watched(tmp_path, HEADS_UP) as table:
        tab.goto(table.page.address)
        assert tab.evaluate(STATES) == {
            "log": ["r3", "r2", "r1"],
            "now": [7, 300, "live"],
            "lost": ["lost", 300],
            "back": "live",
            "full": [300, "r399"],
            "weights": ["stop9", "stop3", "open2", "final1", "noted0"],
            "older": ["r3", "r1"],
            "of_another_hand": 0,
        }
        known = {
            "forms": list(forms_of("inspector")),
            "seats": ["S1", "S2", "S3"],
            "clauses": [{"id": "X-1", "plain": "A wrong number.", "finding": "report"}],
            "rulings": ["r7"],
        }
        script = """async ([typed, known]) => {
          const { completions } = await import("/static/state.js");
          return completions(typed, known).slice(0, 1).map((each) => each.text);
        }"""
        completed = {typed: tab.evaluate(script, [typed, known]) for typed in COMPLETED}
        assert completed == COMPLETED


def test_a_controller_that_is_started_again_is_found_again(tab: Any, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        changes = {**HEADS_UP, "port = 0": f"port = {free.getsockname()[1]}"}
    with Watched(tmp_path, changes) as table:
        sign_in(tab, table.page.address)
        table.say("pack 51")
        tab.wait_for_selector(".log >> text=51 cards where 52 are due")
    tab.wait_for_selector(".banner.lost")
    with Watched(tmp_path, changes) as table:
        tab.wait_for_selector(".banner", state="detached")
        table.say("shuffle")
        tab.wait_for_selector(".log >> text=shuffle")
        ruled = tab.locator(".log b").all_inner_texts()
        assert [each.split()[0] for each in ruled] == ["r1"]
        assert tab.locator(".ruling h1").count() == 1


def test_who_is_shown_out_is_signed_out_and_an_auditor_says_nothing(
    tab: Any, tmp_path: Path
) -> None:
    with Watched(tmp_path, HEADS_UP) as table:
        sign_in(tab, table.page.address, "auditor")
        tab.wait_for_selector("text=You look on")
        assert tab.locator("#search").count() == 0
        table.page.people.revoke("auditor")
        tab.wait_for_selector("text=You are signed out.")
        assert tab.locator("[name=password]").count() == 1


def test_the_demos_link_opens_signed_in_once(tab: Any, chromium: Any, tmp_path: Path) -> None:
    with Watched(tmp_path, HEADS_UP) as table:
        link = table.page.address + "#enter=" + table.page.people.open("inspector", "link")
        tab.goto(link)
        tab.wait_for_selector(".felt")
        assert "#" not in tab.url
        other = chromium.new_context(locale="en-GB").new_page()
        other.goto(link)
        other.wait_for_selector("text=The link has been used or is too old.")
        other.context.close()
