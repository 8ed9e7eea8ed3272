"""Rule books by name or by file, and the clauses that a piece of an id means."""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from msgspec import Struct

from engine.clauses import Clause
from engine.judging import matches_id
from engine.rulebook import RuleBook, book_names, compile_book, load_book

# How like a word must be to an id, and how many ids are proposed at most; by trial.
_LIKENESS = 0.5
_MOST_PROPOSED = 5


def read_book(
    name: str | Path, *, jurisdiction: Path | None = None, house: Path | None = None
) -> RuleBook:
    """Compile a rule book with what is laid over it.

    Args:
        name: A file, or a text: a book that comes with the program, or a path ending in ``.toml``.
        jurisdiction: A jurisdiction's file, laid over the book.
        house: A house's file, laid over both.

    Raises:
        BookError: With every fault of all texts, or if no book has the name.
        OSError: If a file cannot be read.
    """
    if isinstance(name, str) and not name.endswith(".toml"):
        text, file = load_book(name), f"{name}.toml"
    else:
        text, file = Path(name).read_text(encoding="utf-8"), str(name)
    return compile_book(
        text,
        file=file,
        jurisdiction=jurisdiction.read_text(encoding="utf-8") if jurisdiction else None,
        jurisdiction_file=str(jurisdiction),
        house=house.read_text(encoding="utf-8") if house else None,
        house_file=str(house),
    )


def every_book() -> list[RuleBook]:
    """Compile all the books that come with the program."""
    return [read_book(name) for name in book_names()]


class Hit(Struct, frozen=True):
    """A clause and the book it is of."""

    book: RuleBook
    clause: Clause


class Hits(Struct, frozen=True):
    """What a piece of an id was found to mean."""

    meant: tuple[Hit, ...]
    """The clauses that fit best; of one id where that is clear."""
    near: tuple[Hit, ...]
    """Others that have the piece in their id or cite it."""

    @property
    def is_one(self) -> bool:
        """Whether one id of one book is meant."""
        return len({(hit.book.name, hit.clause.id) for hit in self.meant}) == 1


def find_clauses(books: Iterable[RuleBook], piece: str) -> Hits:
    """Find the clauses that a piece of an id means: its whole, its tail, a piece of it."""
    ranked: dict[int, list[Hit]] = {}
    for book in books:
        for clause in book.clauses:
            rank = _rank(piece.lower(), clause)
            if rank is not None:
                ranked.setdefault(rank, []).append(Hit(book, clause))
    if not ranked:
        return Hits((), ())
    best = min(ranked)
    near = [hit for rank in sorted(ranked) if best < rank < _ANYWHERE for hit in ranked[rank]]
    return Hits(tuple(ranked[best]), tuple(near))


_ANYWHERE = 4


def _rank(piece: str, clause: Clause) -> int | None:
    """Return how well a piece fits a clause, 0 best; None where it does not."""
    clause_id = clause.id.lower()
    if piece == clause_id:
        return 0
    if matches_id(piece, clause_id):
        return 1 if clause_id.endswith(piece) else 2
    if any(matches_id(piece, cite.lower()) for cite in clause.cite):
        return 3
    return _ANYWHERE if piece in clause_id else None


def propose(books: Iterable[RuleBook], piece: str) -> list[str]:
    """Return ids that are like a piece for which none was found, the likeliest first."""
    ids = {clause.id.lower(): clause.id for book in books for clause in book.clauses}
    near = get_close_matches(piece.lower(), list(ids), n=_MOST_PROPOSED, cutoff=_LIKENESS)
    return [ids[name] for name in near]
