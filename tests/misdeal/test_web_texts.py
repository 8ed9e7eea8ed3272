"""The page's words are there in every language, and its colours can be read."""

import json
import re
from importlib.resources import files
from typing import Any, get_args

import pytest

from engine.clauses import UNTIL
from engine.events import Action
from engine.explaining import explain
from engine.facts import ASKED
from engine.words import VERDICTS
from firmware_bridge.standing import State as ReaderState
from misdeal.books import every_book
from misdeal.web.scene import RulingScene

STATIC = files("misdeal.web") / "static"
LANGUAGES = ("en", "de")


def texts(language: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((STATIC / f"texts.{language}.json").read_text("utf-8"))
    return found


def keys(catalogue: dict[str, Any], before: str = "") -> set[str]:
    return {
        name
        for key, value in catalogue.items()
        for name in (keys(value, f"{before}{key}.") if isinstance(value, dict) else {before + key})
    }


def test_every_language_has_the_same_words() -> None:
    english, german = map(keys, map(texts, LANGUAGES))
    assert english == german


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_of_the_engine_that_is_shown_has_its_text(language: str) -> None:
    catalogue = texts(language)
    assert catalogue["verdicts"].keys() == {*VERDICTS, "ask"}
    assert catalogue["facts"].keys() == ASKED
    assert catalogue["untils"].keys() == UNTIL
    assert catalogue["readers"].keys() == set(get_args(ReaderState))
    assert catalogue["acts"].keys() >= set(get_args(Action))


def test_every_heading_of_an_explained_clause_has_its_text() -> None:
    headings = {
        heading
        for book in every_book()
        for clause in book.clauses
        for heading, _ in explain(clause)
    }
    assert texts("de")["rows"].keys() >= headings - {"clause", "rule", "found"}


def test_the_english_verdicts_are_those_of_the_terminal() -> None:
    assert {key: texts("en")["verdicts"][key] for key in VERDICTS} == VERDICTS


def scripts() -> str:
    return "\n".join(
        each.read_text("utf-8") for each in STATIC.iterdir() if each.name.endswith(".js")
    )


def test_every_text_that_the_page_asks_for_is_there() -> None:
    asked = set(re.findall(r'\bt\("([a-z-]*[a-z])"', scripts()))
    assert len(asked) > 40
    assert asked - keys(texts("en")) == set()


def test_the_page_loads_nothing_from_elsewhere_and_runs_nothing_that_it_was_sent() -> None:
    written = scripts() + (STATIC / "index.html").read_text("utf-8")
    assert re.findall(r"https?://|\beval\(|innerHTML|dangerouslySet", written) == []


def palette(which: str) -> dict[str, str]:
    """Return the colours of the dark page, or of the light one laid over them."""
    css = (STATIC / "style.css").read_text("utf-8")
    dark = css[css.index(":root {") :].partition("}")[0]
    light = css[css.index(':root[data-theme="light"] {') :].partition("}")[0]
    pattern = r"--([a-z-]+): (#[0-9a-f]{3,6});"
    return dict(re.findall(pattern, dark)) | (
        dict(re.findall(pattern, light)) if which == "light" else {}
    )


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour. Source: WCAG 2.2."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[n : n + 2], 16) / 255 for n in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_reckoned_as_it_is_defined() -> None:
    assert contrast("#000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#fff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("which", ["dark", "light"])
@pytest.mark.parametrize(
    ("text", "ground"),
    [
        ("stop-text", "stop"), ("open-text", "open"), ("final-text", "final"), ("text", "open"),
        ("text", "ground"), ("text", "raised"), ("soft", "ground"), ("soft", "raised"),
        ("open-text", "raised"), ("bad", "ground"), ("text", "button"), ("soft", "felt"),
    ],
)  # fmt: skip
def test_what_is_written_is_read_at_arms_length(which: str, text: str, ground: str) -> None:
    colours = palette(which)
    assert contrast(colours[text], colours[ground]) >= 7


def test_the_two_ways_to_a_light_page_are_the_same() -> None:
    css = (STATIC / "style.css").read_text("utf-8")
    by_device, by_choice = (
        re.sub(r"\s+", " ", css[css.index(start) + len(start) :].partition("}")[0])
        for start in (':root:not([data-theme="dark"]) {', ':root[data-theme="light"] {')
    )
    assert by_device == by_choice


def test_each_sort_of_ruling_has_a_shape_and_a_word() -> None:
    sorts = {"stop", "open", "final", "noted"}
    assert RulingScene.__annotations__["sort"] is str
    assert texts("en")["sorts"].keys() == sorts
    assert set(re.findall(r"^  (\w+): html`<(?:path|circle)", scripts(), re.MULTILINE)) == sorts
