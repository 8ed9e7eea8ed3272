"""Books and deals on which the tests try rulings."""

from engine.docket import Ruling
from engine.rulebook import RuleBook, compile_book
from tests.engine.felt import Played, book

LAWS = book("laws-of-poker")

HOUSE = """
name = "home"
version = "3"
title = "Rules of the home"
games = ["holdem", "draw5"]
"""


def home(*clauses: str, dealt_by: str = "house") -> RuleBook:
    """Return a book of a few clauses, each written as its keys and values."""
    tables = "".join(
        f'\n[[clause]]\nid = "H-{n}"\nsource = "here"\n{text}\n'
        for n, text in enumerate(clauses, start=1)
    )
    return compile_book(HOUSE + f'dealt_by = "{dealt_by}"\n' + tables, file="home.toml")


def laws(*events: str, frame: str = "") -> Played:
    """Perform a deal of draw poker, dealt by players."""
    return Played(*events, game="draw5", rules=LAWS, at="1 2 3 4", frame=frame)


def only(played: Played, finding: str) -> Ruling:
    """Return the newest ruling on a finding."""
    return [r for r in played.rulings.values() if r.finding == finding][-1]
