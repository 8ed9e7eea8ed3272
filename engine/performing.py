"""A table script performed: each line becomes what sensors and people would tell of it.

The performance keeps the physical table: which card lies where. It tells only what a reader,
a camera or an operator would, in the vocabulary that they share; the engine cannot see that a
script is behind it.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from engine import events as ev
from engine.cards import (
    BOARD,
    BURN,
    FLOOR,
    FULL_PACK,
    JOKER,
    MUCK,
    RACK,
    SHOE,
    STUB,
    Card,
    Pack,
    Place,
    Tag,
    TaggedCard,
    parse_place,
)
from engine.docket import Ruling
from engine.games import PLANS
from engine.rulebook import RuleBook
from engine.script import SECOND_NS, Expectation, Line, Script
from engine.setup import TableSetup
from engine.statements import parse_statement
from engine.watch import advance, begin

MAIN, OTHER = "main", "other"
_LAND_NS = 10_000_000  # from the shoe to the place
_NEXT_NS = 50_000_000  # from one card of a round to the next
_SPARES = 3  # registered spares of each face, beyond the packs in the shoe
_CUT_SHORT = re.compile(r"#(\d+)$")


def packs_for(setup: TableSetup, copies: int = 0) -> tuple[Pack, ...]:
    """Return the registers that a script's cards come from: its own packs, and another.

    Args:
        setup: The table of the script.
        copies: The highest copy of a face that the script names.
    """
    most = max(setup.decks + _SPARES, copies)
    own = PLANS[setup.game].pack
    faces = (*FULL_PACK, JOKER)
    main = [
        TaggedCard(_tag(0, copy, at), face, spare=face not in own or copy > setup.decks)
        for copy in range(1, most + 1)
        for at, face in enumerate(faces)
    ]
    other = [TaggedCard(_tag(1, 1, at), face, spare=face == JOKER) for at, face in enumerate(faces)]
    return Pack(MAIN, tuple(main)), Pack(OTHER, tuple(other))


def _tag(pack: int, copy: int, at: int) -> Tag:
    return Tag(f"E0040150{pack:02X}{copy:02X}{at:04X}")


class Physical(Struct, frozen=True):
    """One physical card of a script."""

    tag: Tag
    card: Card | None
    pack: str | None


def _physical(word: str) -> Physical:
    """Return the card that a script's word stands for."""
    copy = int(match[1]) if (match := _CUT_SHORT.search(word)) else 1
    if word.startswith("X"):
        return Physical(Tag(f"E00401FFFFFF{copy:04X}"), None, None)
    face = Card(re.split("[#@]", word)[0])
    at = (*FULL_PACK, JOKER).index(face)
    if word.endswith("@other"):
        return Physical(_tag(1, 1, at), face, OTHER)
    return Physical(_tag(0, copy, at), face, MAIN)


class Performance:
    """The physical table behind a script, and what its sensors tell."""

    def __init__(self, script: Script, book: RuleBook) -> None:
        self._script = script
        words = [word for line in script.lines for word in line.words]
        numbered = [int(match[1]) for word in words if (match := _CUT_SHORT.search(word))]
        packs = packs_for(script.setup, max(numbered, default=0))
        setup = replace(script.setup, packs=packs)
        self.watch = begin(setup, book)
        self._lies: dict[Tag, Place] = {}
        self._faces: dict[Tag, Physical] = {}
        named = {Card(re.split("[#@]", w)[0]) for line in script.lines for w in line.words
                 if re.match(r"(?:[2-9TJQKA][shdc]|JK)\b", w)}  # fmt: skip
        plan = PLANS[setup.game]
        free = [card for card in FULL_PACK if card in plan.pack and card not in named]
        copies = range(1, setup.decks + 1)
        self._unnamed = [f"{card}#{copy}" for copy in copies for card in free]
        self._next = 0

    def run(self) -> Iterator[tuple[Line, list[tuple[ev.AnyEvent, tuple[Ruling, ...]]]]]:
        """Play each line; give what was told and what the engine answered."""
        lines = self._script.lines
        for index, line in enumerate(lines):
            told = []
            for event in self._tell(line):
                self.watch, rulings = advance(self.watch, event)
                told.append((event, rulings))
            until = lines[index + 1].at_ns if index + 1 < len(lines) else line.at_ns + SECOND_NS
            quiet = ev.TimePassed(at_ns=max(line.at_ns, until - 1_000_000))
            self.watch, rulings = advance(self.watch, quiet)
            told.append((quiet, rulings))
            yield line, told

    def _tell(self, line: Line) -> list[ev.AnyEvent]:
        if line.verb == "deal" and line.words == ("ends",):
            return [parse_statement(line.text, line.at_ns)]
        teller = _TELLERS.get(line.verb)
        if teller is None:
            return [parse_statement(line.text, line.at_ns)]
        return teller(self, list(line.words), line.at_ns)

    # ------------------------------------------------------------ cards
    def _card(self, word: str) -> Physical:
        if word == "?":
            word = self._unnamed[self._next % len(self._unnamed)]
            self._next += 1
        card = _physical(word)
        self._faces[card.tag] = card
        return card

    def _read(self, card: Physical, place: Place, at_ns: int) -> ev.AnyEvent:
        return ev.CardRead(at_ns=at_ns, place=place, tag=card.tag, card=card.card, pack=card.pack)

    def _leave(self, card: Physical, at_ns: int) -> list[ev.AnyEvent]:
        """A card leaves the shoe, or where it lay."""
        before = self._lies.pop(card.tag, None)
        if before is None or before == FLOOR:
            return []
        return [ev.CardGone(at_ns=at_ns, place=before, tag=card.tag)]

    def _sight(self, card: Physical, place: Place, at_ns: int) -> ev.AnyEvent:
        return ev.CardSighted(at_ns=at_ns, place=place, card=card.card)

    def deal(self, words: list[str], at_ns: int) -> list[ev.AnyEvent]:
        """``deal CARD PLACE [up] [by=player] [unread]``."""
        card, place, options = self._card(words[0]), parse_place(words[1]), words[2:]
        told = self._leave(card, at_ns)
        landed_ns = at_ns + _LAND_NS
        self._lies[card.tag] = place
        if "by=player" in options and card.card is not None:
            told.append(ev.Stated(at_ns=at_ns, topic="exposed", card=card.card, by="player"))
        if "unread" in options:
            if "up" in options:
                return [*told, self._sight(card, place, landed_ns)]
            return [*told, ev.BackSighted(at_ns=landed_ns, place=place)]
        told.append(self._read(card, SHOE, at_ns))
        if place == FLOOR:
            return [*told, self._sight(card, place, landed_ns)]
        told.append(self._read(card, place, landed_ns))
        if "up" in options:
            told.append(self._sight(card, place, landed_ns))
        return told

    def round(self, words: list[str], at_ns: int) -> list[ev.AnyEvent]:
        """``round [S1 S2 ...]``: one card face down to each."""
        order = words or [place for place in self.watch.table.order if place != "D"]
        told: list[ev.AnyEvent] = []
        for at, place in enumerate(order):
            told += self.deal(["?", place], at_ns + at * _NEXT_NS)
        return told

    def stuck(self, words: list[str], at_ns: int) -> list[ev.AnyEvent]:
        """``stuck CARD CARD PLACE``: two cards leave the shoe together."""
        cards, place = [self._card(word) for word in words[:2]], parse_place(words[2])
        told: list[ev.AnyEvent] = [self._read(card, SHOE, at_ns) for card in cards]
        for card in cards:
            self._lies[card.tag] = place
            told.append(self._read(card, place, at_ns + _LAND_NS))
        return told

    def boxed(self, words: list[str], at_ns: int) -> list[ev.AnyEvent]:
        """``boxed CARD [PLACE]``: the camera at the shoe's mouth sees its face."""
        card = self._card(words[0])
        told: list[ev.AnyEvent] = [self._read(card, SHOE, at_ns), self._sight(card, SHOE, at_ns)]
        if len(words) > 1:
            place = parse_place(words[1])
            self._lies[card.tag] = place
            told += [
                self._read(card, place, at_ns + _LAND_NS),
                self._sight(card, place, at_ns + _LAND_NS),
            ]
        return told

    def burn(self, words: list[str], at_ns: int) -> list[ev.AnyEvent]:
        """``burn [CARD]``."""
        return self.deal([words[0] if words else "?", BURN], at_ns)

    def board(self, words: list[str], at_ns: int) -> list[ev.AnyEvent]:
        """``board CARD...``: put out in one go."""
        told: list[ev.AnyEvent] = []
        for at, word in enumerate(words):
            told += self.deal([word, BOARD, "up"], at_ns + at * _LAND_NS * 2)
        return told

    def move(self, words: list[str], at_ns: int) -> list[ev.AnyEvent]:
        """``move CARD PLACE``."""
        card, place = self._card(words[0]), parse_place(words[1])
        told = self._leave(card, at_ns)
        self._lies[card.tag] = place
        if place != FLOOR:
            told.append(self._read(card, place, at_ns + _LAND_NS))
        return told

    def muck(self, words: list[str], at_ns: int) -> list[ev.AnyEvent]:
        """``muck S3``: a whole hand."""
        hand = [tag for tag, place in self._lies.items() if place == words[0]]
        return self._give_up([self._faces[tag] for tag in hand], at_ns)

    def discard(self, words: list[str], at_ns: int) -> list[ev.AnyEvent]:
        """``discard S3 CARD...``: cards given up for exchange."""
        return self._give_up([self._card(word) for word in words[1:]], at_ns)

    def _give_up(self, cards: list[Physical], at_ns: int) -> list[ev.AnyEvent]:
        told: list[ev.AnyEvent] = []
        for card in cards:
            told += self._leave(card, at_ns)
            self._lies[card.tag] = MUCK
            told.append(self._read(card, MUCK, at_ns + _LAND_NS))
        return told

    def stray(self, words: list[str], at_ns: int) -> list[ev.AnyEvent]:
        """``stray CARD PLACE``: read there, and then again where it lies."""
        card, place = self._card(words[0]), parse_place(words[1])
        lies = self._lies.get(card.tag)
        told = [self._read(card, place, at_ns)]
        if lies is not None:
            told.append(self._read(card, lies, at_ns + _LAND_NS))
        return told

    def seen(self, words: list[str], at_ns: int) -> list[ev.AnyEvent]:
        """``seen CARD as FACE``: the camera takes it for another."""
        card = self._card(words[0])
        place = self._lies.get(card.tag, STUB)
        face = _physical(words[2]).card
        return [ev.CardSighted(at_ns=at_ns, place=place, card=face, tag=card.tag)]

    def expose(self, words: list[str], at_ns: int) -> list[ev.AnyEvent]:
        """``expose CARD [by=...]``."""
        card = self._card(words[0])
        told: list[ev.AnyEvent] = []
        place = self._lies.get(card.tag)
        if place is None and card.pack != MAIN:
            told.append(self._read(card, STUB, at_ns))
        if len(words) > 1 and card.card is not None:
            told.append(parse_statement(f"say exposed {card.card} {words[1]}", at_ns))
        told.append(self._sight(card, place or STUB, at_ns))
        return told

    def turn(self, words: list[str], at_ns: int) -> list[ev.AnyEvent]:
        """``turn CARD down``."""
        card = self._card(words[0])
        place = self._lies.get(card.tag, STUB)
        return [ev.CardLost(at_ns=at_ns, place=place, card=card.card)]

    def mark(self, words: list[str], at_ns: int) -> list[ev.AnyEvent]:
        """``mark CARD``: its back proves to be marked."""
        card = self._card(words[0])
        place = self._lies.get(card.tag, STUB)
        return [ev.BackMarked(at_ns=at_ns, place=place, tag=card.tag, card=card.card)]

    def collect(self, words: list[str], at_ns: int) -> list[ev.AnyEvent]:
        """``collect``: all cards go back but those on the floor."""
        setup = self.watch.table.setup
        told: list[ev.AnyEvent] = []
        lost = {tag for tag, place in self._lies.items() if place == FLOOR}
        for tag, place in list(self._lies.items()):
            if tag in lost or place == RACK:
                continue
            told.append(ev.CardGone(at_ns=at_ns, place=place, tag=tag))
            if setup.decks > 1:
                told.append(self._read(self._faces[tag], RACK, at_ns + _LAND_NS))
        self._lies = {}
        if setup.decks > 1:
            return told
        self._next = 0
        tags = tuple(sorted(setup.packs[0].own_tags() - lost))
        told.append(
            ev.PackCounted(at_ns=at_ns + 2 * _LAND_NS, count=len(tags), is_complete=True, tags=tags)
        )
        return told


_TELLERS: dict[str, Callable[[Performance, list[str], int], list[ev.AnyEvent]]] = {
    "deal": Performance.deal,
    "round": Performance.round,
    "stuck": Performance.stuck,
    "boxed": Performance.boxed,
    "burn": Performance.burn,
    "board": Performance.board,
    "move": Performance.move,
    "muck": Performance.muck,
    "discard": Performance.discard,
    "stray": Performance.stray,
    "seen": Performance.seen,
    "expose": Performance.expose,
    "turn": Performance.turn,
    "mark": Performance.mark,
    "collect": Performance.collect,
}


# ---------------------------------------------------------------- judging
class Verdicts(Struct, frozen=True):
    """What the engine said of a script, and where that is not what was expected."""

    lines: tuple[tuple[int, Ruling], ...]
    """Each change of a ruling, with the number of the event after which it came."""
    misses: tuple[str, ...]


def judge_script(script: Script, book: RuleBook) -> Verdicts:
    """Play a script and check its expectations."""
    played = Performance(script, book).run()
    return hold_against(
        script, ([ruling for _, rulings in told for ruling in rulings] for _, told in played)
    )


def hold_against(script: Script, played: Iterable[Iterable[Ruling]]) -> Verdicts:
    """Check a script's expectations on what was ruled.

    Args:
        script: The script.
        played: For each of its events, in order, the changes of rulings that it led to.
    """
    standing: dict[str, Ruling] = {}
    lines: list[tuple[int, Ruling]] = []
    misses: list[str] = []
    for number, rulings in enumerate(played, start=1):
        for ruling in rulings:
            standing[ruling.id] = ruling
            lines.append((number, ruling))
            misses += _forbidden(script, number, ruling)
        misses += _missed(script, number, list(standing.values()))
    return Verdicts(tuple(lines), tuple(misses))


def _forbidden(script: Script, number: int, ruling: Ruling) -> list[str]:
    if script.clean:
        return [f"after event {number}: a clean script has a ruling: {shown(ruling)}"]
    if ruling.verdict in script.never and ruling.state in ("open", "final"):
        return [f"after event {number}: {ruling.verdict} may never stand: {shown(ruling)}"]
    return []


def _missed(script: Script, number: int, standing: list[Ruling]) -> list[str]:
    misses = []
    for expected in script.expects:
        if expected.after == number and not any(fits(r, expected) for r in standing):
            near = [r for r in standing if not expected.finding or r.finding == expected.finding]
            stood = "; ".join(map(shown, near or standing)) or "no ruling"
            misses.append(f"after event {number}: expected {expected}; stood: {stood}")
    for unwanted in script.rejects:
        for ruling in standing:
            is_standing = ruling.state in ("open", "final")
            if unwanted.after == number and is_standing and fits(ruling, unwanted):
                misses.append(f"after event {number}: {unwanted} must not stand: {shown(ruling)}")
    return misses


def fits(ruling: Ruling, expected: Expectation) -> bool:
    """Say whether a ruling matches all that is given."""
    plain = ("finding", "place", "verdict", "state", "next_dealer")
    wanted = {name: getattr(expected, name) for name in plain}
    if any(value is not None and getattr(ruling, name) != value for name, value in wanted.items()):
        return False
    if expected.card is not None and ruling.card != _physical(expected.card).card:
        return False
    if expected.cite is not None and not any(expected.cite in c for c in ruling.cite):
        return False
    asked = {ask.fact for ask in ruling.asks}
    if expected.asks is not None and not asked >= set(expected.asks):
        return False
    return expected.callable_by is None or expected.callable_by == set(ruling.callable_by)


def shown(ruling: Ruling) -> str:
    """Return a ruling in a few words, for a report of what stood."""
    parts = [ruling.finding, ruling.place or "", ruling.card or "", "->", ruling.verdict or "?"]
    asks = f" asks {', '.join(ask.fact for ask in ruling.asks)}" if ruling.asks else ""
    return " ".join(p for p in parts if p) + f" ({ruling.state}{asks}; {' '.join(ruling.cite)})"
