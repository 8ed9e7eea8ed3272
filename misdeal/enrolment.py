"""Which tag bears which card: a pack is registered card by card.

Pure: looks at a pad (or at a shoe's mouth) and the operator's words go in, what is to be said
comes out. A tag counts when it was read in several looks on end, alone among those that are new;
what cannot be told apart or is no card of this pack must be taken away before anything else is
registered, so that no card gets the tag of another.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from engine.cards import FULL_PACK, JOKER, Card, Pack, Tag, TaggedCard
from firmware_bridge.register import canonical_uid

CONFIRM_LOOKS = 3
"""So many looks on end must read a tag. Chosen: two cards that come together are then both heard,
and a garbled read is not repeated so often."""

GONE_LOOKS = 3
"""A tag is gone when so many looks on end did not read it. Source: as ``ABSENT_POLLS``."""


# ---------------------------------------------------------------- what happens
class Looked(Struct, frozen=True):
    """The reader looked and these tags answered."""

    tags: tuple[Tag, ...]


class Undone(Struct, frozen=True):
    """The operator takes the last card back."""


class Skipped(Struct, frozen=True):
    """The operator puts the asked card off: it is asked for again at the end."""


class Signed(Struct, frozen=True):
    """A tag gave a signature, which is its maker's or is not."""

    tag: Tag
    signature: bytes
    is_genuine: bool


Happening = Looked | Undone | Skipped | Signed


# ---------------------------------------------------------------- what is said
class Said(Struct, frozen=True, kw_only=True, tag_field="kind", tag=str.lower):
    """Something for the operator."""


class Asked(Said, frozen=True, kw_only=True):
    """This card is to be laid down next."""

    card: Card
    done: int
    of: int


class Registered(Said, frozen=True, kw_only=True):
    """A card has its tag."""

    card: Card
    tag: Tag


class TakenBack(Said, frozen=True, kw_only=True, tag="undone"):
    """A card has its tag no more."""

    card: Card
    tag: Tag


Why = Literal[
    "two cards", "has a card", "of another pack", "no uid", "reversed", "passed", "forged"
]


class Refused(Said, frozen=True, kw_only=True):
    """What lies there is not registered now."""

    why: Why
    tags: tuple[Tag, ...]
    card: Card | None = None
    """The card that the tag bears already."""
    pack: str | None = None
    """The other pack that has it."""


class Whole(Said, frozen=True, kw_only=True):
    """Every card of the pack has its tag."""

    cards: int


# ---------------------------------------------------------------- the state
class Pad(Struct, frozen=True, kw_only=True):
    """What is known to lie at the reader."""

    lying: dict[Tag, int] = {}
    """Tags that are dealt with, each with the looks that missed it on end."""
    blocked: frozenset[Tag] = frozenset()
    """Those of them that were refused: nothing is registered before they are gone."""
    news: frozenset[Tag] = frozenset()
    """Tags that are not dealt with."""
    reads: int = 0
    """How many looks on end read just these."""
    misses: int = 0
    """How many looks on end read none of them."""


class Enrolment(Struct, frozen=True, kw_only=True):
    """A pack that is being registered."""

    name: str
    faces: tuple[Card, ...]
    """The cards of the pack, in the order in which they are asked for."""
    lines: tuple[TaggedCard, ...] = ()
    """What is registered, the newest last."""
    signatures: dict[Tag, bytes] = {}
    """The makers' signatures of those tags that gave one."""
    others: dict[Tag, str] = {}
    """Tags of other packs, and whose."""
    later: tuple[Card, ...] = ()
    """Cards that were put off."""
    replacing: Card | None = None
    """The card whose tag is replaced; None where a pack is registered."""
    confirm: int = CONFIRM_LOOKS
    pad: Pad = field(default_factory=Pad)

    @property
    def asked(self) -> Card | None:
        """The card that is to be laid down; None where the pack is whole."""
        return self.replacing or next(iter(self.missing), None)

    @property
    def missing(self) -> tuple[Card, ...]:
        """The cards without a tag, in the order in which they are asked for."""
        had = {line.card for line in self.lines if not line.spare}
        first = [card for card in self.faces if card not in self.later]
        return tuple(card for card in (*first, *self.later) if card not in had)

    def pack(self) -> Pack:
        """Return the pack as its register lists it: in the order of its cards, spares last."""
        order = {card: number for number, card in enumerate(self.faces)}
        lines = sorted(self.lines, key=lambda line: (line.spare, order[line.card]))
        return Pack(self.name, tuple(lines))


Change = tuple[Enrolment, tuple[Said, ...]]


def order_of(faces: Iterable[Card]) -> tuple[Card, ...]:
    """Return the cards of a pack in the order in which they are asked for: suit by suit."""
    own = frozenset(faces)
    return tuple(card for card in (*FULL_PACK, JOKER) if card in own)


def prompt(enrolment: Enrolment) -> Said:
    """Return what is asked for now, or that nothing is."""
    of = len(enrolment.faces)
    asked = enrolment.asked
    if asked is None:
        return Whole(cards=of)
    return Asked(card=asked, done=of - len(enrolment.missing), of=of)


def take(enrolment: Enrolment, happening: Happening) -> Change:
    """Return the enrolment after something happened, and what is to be said about it."""
    match happening:
        case Looked():
            return _look(enrolment, frozenset(happening.tags))
        case Undone():
            return _undo(enrolment)
        case Skipped():
            return _skip(enrolment)
        case Signed():
            return _sign(enrolment, happening)
        case _:
            assert_never(happening)


# ---------------------------------------------------------------- looks
def _look(enrolment: Enrolment, heard: frozenset[Tag]) -> Change:
    asked = enrolment.asked
    if asked is None:
        return enrolment, ()
    pad = _age(enrolment.pad, heard)
    news = heard - pad.lying.keys()
    if pad.blocked:
        return replace(enrolment, pad=replace(pad, news=frozenset(), reads=0, misses=0)), ()
    if not news:
        return _miss(replace(enrolment, pad=pad))
    reads = pad.reads + 1 if news == pad.news else 1
    enrolment = replace(enrolment, pad=replace(pad, news=news, reads=reads, misses=0))
    return _decide(enrolment, asked, news) if reads >= enrolment.confirm else (enrolment, ())


def _age(pad: Pad, heard: frozenset[Tag]) -> Pad:
    """Forget the tags that have gone."""
    missed = {tag: 0 if tag in heard else misses + 1 for tag, misses in pad.lying.items()}
    lying = {tag: misses for tag, misses in missed.items() if misses < GONE_LOOKS}
    return replace(pad, lying=lying, blocked=pad.blocked & lying.keys())


def _miss(enrolment: Enrolment) -> Change:
    """Take a look that read nothing new; what was read too seldom before has passed."""
    pad = enrolment.pad
    misses = pad.misses + 1 if pad.news else 0
    if misses < GONE_LOOKS:
        return replace(enrolment, pad=replace(pad, reads=0, misses=misses)), ()
    passed = Refused(why="passed", tags=tuple(sorted(pad.news)))
    return replace(enrolment, pad=replace(pad, news=frozenset(), reads=0, misses=0)), (passed,)


def _decide(enrolment: Enrolment, asked: Card, news: frozenset[Tag]) -> Change:
    """Register what was read, or say why not.

    Cards of this pack that have their tag already do no harm, as in a stack that was left lying.
    """
    had = {line.tag: line for line in enrolment.lines}
    fresh = sorted(tag for tag in news if tag not in had or _is_replacement(enrolment, had[tag]))
    if not fresh:
        enrolment = _set_aside(enrolment, news, frozenset())
        again = tuple(Refused(why="has a card", tags=(t,), card=had[t].card) for t in news)
        return enrolment, again if len(again) == 1 else ()
    refused = _objection(enrolment, fresh)
    enrolment = _set_aside(enrolment, news, frozenset(fresh) if refused else frozenset())
    return (enrolment, (refused,)) if refused else _register(enrolment, asked, fresh[0])


def _is_replacement(enrolment: Enrolment, line: TaggedCard) -> bool:
    """Say whether a registered card is a spare of the one whose tag is dead."""
    return line.spare and line.card == enrolment.replacing


def _set_aside(enrolment: Enrolment, news: frozenset[Tag], blocked: frozenset[Tag]) -> Enrolment:
    """Take it that what was new is dealt with."""
    lying = {**enrolment.pad.lying, **dict.fromkeys(news, 0)}
    return replace(enrolment, pad=Pad(lying=lying, blocked=blocked))


def _objection(enrolment: Enrolment, fresh: Sequence[Tag]) -> Refused | None:
    """Say why what is new cannot bear the card that is asked for."""
    tags, tag = tuple(fresh), fresh[0]
    if len(tags) > 1:
        return Refused(why="two cards", tags=tags)
    is_icode = len(tag) == 16
    if is_icode and tag.endswith("E0") and not tag.startswith("E0"):
        return Refused(why="reversed", tags=tags)
    if canonical_uid(tag) != tag or (is_icode and not tag.startswith("E0")):
        return Refused(why="no uid", tags=tags)
    if tag in enrolment.others:
        return Refused(why="of another pack", tags=tags, pack=enrolment.others[tag])
    return None


def _register(enrolment: Enrolment, card: Card, tag: Tag) -> Change:
    """Give a card its tag; one that it had goes, and a spare that bore this one is none now."""
    kept = tuple(
        line for line in enrolment.lines if line.tag != tag and (line.spare or line.card != card)
    )
    tags = {tag, *(line.tag for line in kept)}
    enrolment = replace(
        enrolment,
        lines=(*kept, TaggedCard(tag, card)),
        signatures={t: given for t, given in enrolment.signatures.items() if t in tags},
        replacing=None,
    )
    return enrolment, (Registered(card=card, tag=tag), prompt(enrolment))


def _sign(enrolment: Enrolment, signed: Signed) -> Change:
    """Keep a maker's signature; take a card back that gives another."""
    line = next((line for line in enrolment.lines if line.tag == signed.tag), None)
    if line is None:
        return enrolment, ()
    if signed.is_genuine:
        signatures = {**enrolment.signatures, signed.tag: signed.signature}
        return replace(enrolment, signatures=signatures), ()
    enrolment = _drop(enrolment, line)
    forged = Refused(why="forged", tags=(line.tag,), card=line.card)
    return enrolment, (TakenBack(card=line.card, tag=line.tag), forged, prompt(enrolment))


def _drop(enrolment: Enrolment, line: TaggedCard) -> Enrolment:
    """Take a card back; its tag must be lifted before it may be read again."""
    pad = enrolment.pad
    return replace(
        enrolment,
        lines=tuple(each for each in enrolment.lines if each != line),
        signatures={t: given for t, given in enrolment.signatures.items() if t != line.tag},
        pad=replace(pad, blocked=frozenset(pad.blocked | ({line.tag} & pad.lying.keys()))),
    )


# ---------------------------------------------------------------- words
def _undo(enrolment: Enrolment) -> Change:
    """Take the last card back."""
    if not enrolment.lines or enrolment.replacing is not None:
        return enrolment, ()
    last = enrolment.lines[-1]
    enrolment = _drop(enrolment, last)
    return enrolment, (TakenBack(card=last.card, tag=last.tag), prompt(enrolment))


def _skip(enrolment: Enrolment) -> Change:
    card = enrolment.asked
    if card is None or enrolment.replacing is not None:
        return enrolment, ()
    later = (*(each for each in enrolment.later if each != card), card)
    enrolment = replace(enrolment, later=later)
    return enrolment, (prompt(enrolment),)
