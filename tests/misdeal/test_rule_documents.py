"""The documents of the rules and games say what is so."""

import re
from pathlib import Path
from typing import get_args

import pytest

from engine.clauses import CALLABLE_BY, NEXT_DEALER, PER, UNTIL
from engine.games import PLANS
from engine.games.plan import Plan
from engine.layers import BOOK_KEYS
from engine.setup import Game
from misdeal.cli import run
from misdeal.rulepages import main, pages


@pytest.fixture(scope="module")
def rule_books(root: Path) -> str:
    return (root / "docs" / "rule-books.md").read_text(encoding="utf-8")


@pytest.fixture
def examples(rule_books: str, tmp_path: Path) -> Path:
    """A folder with the files that the document shows whole: those that begin with their name."""
    blocks = re.findall(r"```toml\n(# ([a-z0-9]+\.toml):.*?)```", rule_books, flags=re.DOTALL)
    for text, name in blocks:
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert [name for _, name in blocks] == ["law.toml", "house.toml", "h14.toml"]
    return tmp_path


def test_the_layers_of_the_document_are_sound(examples: Path) -> None:
    law, house = str(examples / "law.toml"), str(examples / "house.toml")
    assert run(["rules", "check", law, "--over", "tda-2024"]) == 0
    assert run(["rules", "check", house, "--over", "tda-2024", "--jurisdiction", law]) == 0


def test_the_script_of_the_document_is_as_expected(examples: Path) -> None:
    assert run(["judge", str(examples / "h14.toml")]) == 0


def test_a_clause_that_the_document_shows_is_one_of_a_book(root: Path, rule_books: str) -> None:
    shown = re.findall(r"```toml\n(\[\[clause\]\]\nid = .*?)```", rule_books, flags=re.DOTALL)
    assert len(shown) == 2
    books = "".join(
        path.read_text(encoding="utf-8") for path in (root / "engine/rulebooks").glob("*.toml")
    )
    assert [head for text in shown if (head := text.partition("plain =")[0]) not in books] == []


def test_every_key_and_word_of_a_clause_and_of_a_book_is_explained(
    root: Path, rule_books: str
) -> None:
    layers = (root / "engine" / "layers.py").read_text(encoding="utf-8")
    keys = re.findall(r'"(\w+)": (?:str|list|bool)', layers)
    assert len(keys) > 20
    words = {*keys, *BOOK_KEYS, *UNTIL, *CALLABLE_BY, *NEXT_DEALER, *PER} - {"clause"}
    assert {word for word in words if f"`{word}`" not in rule_books} == set()


def plan_row(plan: Plan) -> str:
    """Return the line that docs/games.md must have for a plan."""
    board = ", ".join(map(str, plan.streets))
    then = {
        "flop": f"board of {board}",
        "stud": f"{len(plan.streets)} rounds of 1",
        "draw": "exchange",
        "casino": {"baccarat": "table of draws", "blackjack": "draws as asked"}.get(
            plan.game, "decisions"
        ),
    }[plan.kind]
    cells = (plan.kind, len(plan.pack), f"{plan.hand_cards} each", then, faces(plan))
    return f"| `{plan.game}` | " + " | ".join(map(str, cells)) + " |"


def faces(plan: Plan) -> str:
    """Return which cards of a plan lie face up, in words."""
    every = set(range(1, 8))
    if plan.all_open:
        down = sorted(every - plan.dealer_up) if plan.dealer_up else []
        return "every card" + "".join(f" but the dealer's card {nth}" for nth in down)
    if plan.dealer_up:
        return f"the dealer's card {', '.join(map(str, sorted(plan.dealer_up)))}"
    return f"cards {', '.join(map(str, sorted(plan.up)))}" if plan.up else "nothing"


@pytest.mark.parametrize("game", get_args(Game))
def test_each_plan_stands_in_the_document_of_the_games(root: Path, game: str) -> None:
    text = (root / "docs" / "games.md").read_text(encoding="utf-8")
    assert plan_row(PLANS[game]) in text.splitlines()


@pytest.mark.parametrize("name", ["how-it-works.md", "games.md", "rule-books.md"])
def test_a_file_that_a_document_names_is_there(root: Path, name: str) -> None:
    text = (root / "docs" / name).read_text(encoding="utf-8")
    paths = re.findall(r"`((?:engine|misdeal|tests|firmware_bridge)/[\w./-]*)`", text)
    assert paths
    assert [path for path in paths if not (root / path).exists()] == []


@pytest.mark.parametrize("name", ["facts.md", "clauses.md"])
def test_the_reference_pages_are_those_of_the_code(root: Path, name: str) -> None:
    """Where this fails: python -m misdeal.rulepages docs."""
    assert (root / "docs" / name).read_text(encoding="utf-8") == pages()[name]


def test_the_reference_pages_are_written_into_a_folder(tmp_path: Path) -> None:
    main(["rulepages", str(tmp_path)])
    written = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert written == pages()
