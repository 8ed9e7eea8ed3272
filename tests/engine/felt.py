"""A table that tests play at: short words become events, rulings become short words.

A tag is written as scripts write a card: ``9h`` is the pack's own nine of hearts, ``9h#2`` a
spare of it, ``9h@other`` a card of a second register, ``X1`` a tag that no register knows.
"""

import functools
import re
from typing import Any

from engine.cards import (
    FLOOR,
    FULL_PACK,
    JOKER,
    PLACES,
    SHOE,
    Card,
    Pack,
    Place,
    Tag,
    TaggedCard,
    parse_place,
)
from engine.docket import Ruling
from engine.events import (
    AnyEvent,
    BackSighted,
    CardGone,
    CardLost,
    CardRead,
    CardSighted,
    PackCounted,
    TimePassed,
)
from engine.games import PLANS
from engine.performing import Performance
from engine.rulebook import RuleBook, book_games, book_names, compile_book, load_book
from engine.script import read_script
from engine.setup import TableSetup
from engine.statements import parse_statement
from engine.watch import Watch, advance, begin

MS = 1_000_000
S = 1_000_000_000
FULL_SENSORS = frozenset(PLACES - {FLOOR})


@functools.cache
def book(name: str = "tda-2024", house: str | None = None) -> RuleBook:
    """Return a shipped book, with a house file laid over it."""
    return compile_book(load_book(name), file=name, house=house)


def packs(game: str, decks: int = 1) -> tuple[Pack, ...]:
    """Return the pack of a game with a spare of every face and a joker, and another pack."""
    faces = (*FULL_PACK, JOKER)
    own = PLANS[game].pack
    copies = [
        TaggedCard(Tag(face if copy == 1 else f"{face}#{copy}"), face,
                   spare=copy > decks or face not in own)
        for copy in range(1, decks + 2) for face in faces
    ]  # fmt: skip
    other = [TaggedCard(Tag(f"{face}@other"), face) for face in faces if face in own]
    return Pack("main", tuple(copies)), Pack("other", tuple(other))


def seats(numbers: str) -> tuple[Place, ...]:
    """Return the places of seats that are written ``1 3 5``."""
    return tuple(Place(f"S{number}") for number in numbers.split())


def short(ruling: Ruling) -> str:
    """Write a ruling as ``wrong_count S3 -> misdeal final``, with its card and what it asks."""
    asks = f" asks {' '.join(ask.fact for ask in ruling.asks)}" if ruling.asks else ""
    parts = (ruling.finding, ruling.place, ruling.card, "->", ruling.verdict or "?", ruling.state)
    return " ".join(part for part in parts if part) + asks


class Felt:
    """A table, its clock, and every ruling that it has seen."""

    def __init__(
        self,
        game: str = "holdem",
        rules: RuleBook | None = None,
        *,
        at: str = "1 2 3",
        **setup: Any,
    ) -> None:
        self.rules = rules or book()
        given: dict[str, Any] = {
            "game": game,
            "seats": seats(at),
            "packs": packs(game, setup.get("decks", 1)),
            "readers": FULL_SENSORS,
        }
        self.watch: Watch = begin(TableSetup(**{**given, **setup}), self.rules)
        self.at_ns = 0
        self.rulings: dict[str, Ruling] = {}
        self.log: list[Ruling] = []
        self._fresh = iter([card for card in FULL_PACK if card in PLANS[game].pack])
        self._dealt: dict[Tag, Place] = {}

    # ------------------------------------------------------------ events
    def tell(self, event: AnyEvent) -> list[str]:
        """Tell the table of an event; return what it changed, in short words."""
        self.watch, changed = advance(self.watch, event)
        for ruling in changed:
            self.rulings[ruling.id] = ruling
        self.log += changed
        return [short(ruling) for ruling in changed]

    def wait(self, seconds: float) -> list[str]:
        """Let time pass."""
        self.at_ns += round(seconds * S)
        return self.tell(TimePassed(at_ns=self.at_ns))

    def read(self, tag: str, place: str, *, ago_ms: int = 0) -> list[str]:
        """A reader reads a tag."""
        card = None if tag.startswith("X") else Card(re.split("[#@]", tag)[0])
        pack = None if card is None else "other" if tag.endswith("@other") else "main"
        at_ns = self.at_ns - ago_ms * MS
        if place != SHOE:
            self._dealt[Tag(tag)] = Place(place)
        return self.tell(
            CardRead(at_ns=at_ns, place=parse_place(place), tag=Tag(tag), card=card, pack=pack)
        )

    def gone(self, tag: str, place: str) -> list[str]:
        """A reader no longer hears a tag."""
        self._dealt.pop(Tag(tag), None)
        return self.tell(CardGone(at_ns=self.at_ns, place=parse_place(place), tag=Tag(tag)))

    def sighted(self, card: str | None, place: str, *, tag: str | None = None) -> list[str]:
        """The camera sees a card face up."""
        return self.tell(
            CardSighted(
                at_ns=self.at_ns,
                place=parse_place(place),
                card=Card(card) if card else None,
                tag=Tag(tag) if tag else None,
            )
        )

    def back_sighted(self, place: str) -> list[str]:
        """The camera sees a card come to lie face down."""
        return self.tell(BackSighted(at_ns=self.at_ns, place=parse_place(place)))

    def lost(self, card: str, place: str) -> list[str]:
        """The camera no longer sees a face."""
        return self.tell(CardLost(at_ns=self.at_ns, place=parse_place(place), card=Card(card)))

    def say(self, text: str) -> list[str]:
        """An operator says or enters something, a second after what was before."""
        self.at_ns += S
        return self.tell(parse_statement(text, self.at_ns))

    # ------------------------------------------------------------ what a dealer does
    def fresh(self) -> str:
        """Return a card of the pack that has not been dealt by a test yet."""
        return next(self._fresh)

    def deal(self, place: str, card: str = "", *, up: bool = False) -> list[str]:
        """Deal a card: read at the shoe, then at its place, and seen where it lies face up."""
        card = card or self.fresh()
        self.at_ns += S // 2
        told = self.read(card, SHOE)
        self.at_ns += 20 * MS
        told += self.read(card, place)
        if up:
            told += self.sighted(re.split("[#@]", card)[0], place)
        return told

    def round(self, places: str = "", *, up: bool = False) -> list[str]:
        """Deal a card each to some places, or to the whole order."""
        order = places.split() or list(self.watch.table.order)
        return [told for place in order for told in self.deal(place, up=up)]

    def move(self, tag: str, source: str, target: str) -> list[str]:
        """Carry a card from one reader to another."""
        self.at_ns += S // 2
        told = self.gone(tag, source)
        self.at_ns += 20 * MS
        return told + self.read(tag, target)

    def collect(self, *, missing: str = "") -> list[str]:
        """Take every card back; the pad hears all of the pack but what is missing."""
        told: list[str] = []
        self.at_ns += S
        for tag, place in list(self._dealt.items()):
            told += self.gone(tag, place)
        own = self.watch.table.setup.packs[0].own_tags()
        tags = tuple(sorted(own - set(missing.split())))
        self.at_ns += S
        return told + self.tell(
            PackCounted(at_ns=self.at_ns, count=len(tags), is_complete=True, tags=tags)
        )

    # ------------------------------------------------------------ what stands
    def standing(self) -> list[str]:
        """Return the rulings that are open or final, in short words."""
        return [short(r) for r in self.rulings.values() if r.state in ("open", "final")]

    def all(self) -> list[str]:
        """Return every ruling as it stands now, in short words."""
        return [short(ruling) for ruling in self.rulings.values()]

    def only(self, finding: str) -> Ruling:
        """Return the newest ruling on a finding."""
        return [r for r in self.rulings.values() if r.finding == finding][-1]


class Played:
    """A table script that was performed: what it changed line by line, and what stands."""

    def __init__(
        self,
        *events: str,
        game: str = "holdem",
        rules: RuleBook | None = None,
        at: str = "1 2 3",
        frame: str = "",
    ) -> None:
        numbers = ", ".join(at.split())
        shipped = next(name for name in book_names() if game in book_games(name))
        text = f'script = 1\ngame = "{game}"\nrulebook = "{shipped}"\nseats = [{numbers}]\n'
        lines = ", ".join(f"'{event}'" for event in events)
        script = read_script(f"{text}{frame}\nevents = [{lines}]\n", file="played.toml")
        performance = Performance(script, rules or book())
        self.rulings: dict[str, Ruling] = {}
        self.told: list[list[str]] = []
        """For each line the rulings that it changed, in short words."""
        for _, told in performance.run():
            changed = [ruling for _, rulings in told for ruling in rulings]
            self.rulings |= {ruling.id: ruling for ruling in changed}
            self.told.append([short(ruling) for ruling in changed])
        self.watch: Watch = performance.watch

    def all(self) -> list[str]:
        """Return every ruling as it stands now, in short words."""
        return [short(ruling) for ruling in self.rulings.values()]

    def standing(self) -> list[str]:
        """Return the rulings that are open or final, in short words."""
        return [short(r) for r in self.rulings.values() if r.state in ("open", "final")]


def inferred(**setup: Any) -> Felt:
    """Return a table whose hands begin and end by themselves."""
    return Felt(hands="inferred", actions="none", button=Place("S3"), **setup)
