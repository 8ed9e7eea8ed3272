"""A pack is registered card by card: no card gets the tag of another."""

import re
from collections.abc import Iterable
from functools import reduce
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.cards import FULL_PACK, Card, Tag, TaggedCard
from firmware_bridge.errors import RegisterError
from firmware_bridge.register import read_pack, write_pack
from misdeal.commands.enrol import said_words
from misdeal.enrolment import (
    CONFIRM_LOOKS,
    GONE_LOOKS,
    Asked,
    Enrolment,
    Happening,
    Looked,
    Refused,
    Registered,
    Said,
    Signed,
    Skipped,
    TakenBack,
    Undone,
    Whole,
    Why,
    order_of,
    prompt,
    take,
)
from misdeal.registering import (
    finish,
    keep,
    part_of,
    read_part,
    turn_bytes,
    with_lines_of,
)

AS, KS, QS = Card("As"), Card("Ks"), Card("Qs")
T1, T2, T3, T4 = (Tag(f"E00401080000000{n}") for n in range(1, 5))
FRESH = Enrolment(name="red", faces=(AS, KS, QS), others={T4: "blue"})


def lying(*tags: Tag, looks: int = CONFIRM_LOOKS) -> list[Happening]:
    return [Looked(tags)] * looks


def gone() -> list[Happening]:
    return [Looked(())] * GONE_LOOKS


def after(happened: Iterable[Happening], begun: Enrolment = FRESH) -> tuple[Enrolment, list[Said]]:
    said: list[Said] = []

    def one(enrolment: Enrolment, happening: Happening) -> Enrolment:
        enrolment, told = take(enrolment, happening)
        said.extend(told)
        return enrolment

    return reduce(one, happened, begun), said


def asked(card: Card, done: int) -> Asked:
    return Asked(card=card, done=done, of=3)


def lines_of(enrolment: Enrolment) -> list[tuple[Card, Tag]]:
    return [(line.card, line.tag) for line in enrolment.lines]


def test_the_first_card_of_the_order_is_asked_for() -> None:
    assert prompt(FRESH) == asked(AS, 0)
    assert order_of(frozenset(FULL_PACK)) == FULL_PACK
    assert order_of({Card("JK"), KS, AS}) == (AS, KS, Card("JK"))


def test_cards_that_are_lifted_and_cards_that_are_stacked_are_registered_alike() -> None:
    lifted = [*lying(T1), *gone(), *lying(T2), *gone(), *lying(T3)]
    stacked = [*lying(T1), *lying(T1, T2), *lying(T3, T2, T1)]
    said = [
        Registered(card=AS, tag=T1),
        asked(KS, 1),
        Registered(card=KS, tag=T2),
        asked(QS, 2),
        Registered(card=QS, tag=T3),
        Whole(cards=3),
    ]
    for happened in (lifted, stacked):
        enrolment, told = after(happened)
        assert told == said
        assert lines_of(enrolment) == [(AS, T1), (KS, T2), (QS, T3)]
        assert enrolment.asked is None


@pytest.mark.parametrize(
    ("happened", "refused"),
    [
        (lying(T1, T2), Refused(why="two cards", tags=(T1, T2))),
        (lying(T4), Refused(why="of another pack", tags=(T4,), pack="blue")),
        (lying(Tag("D1C2B3A4080104E0")), Refused(why="reversed", tags=(Tag("D1C2B3A4080104E0"),))),
        (lying(Tag("0" * 16)), Refused(why="no uid", tags=(Tag("0" * 16),))),
        (lying(Tag("1234567812345678")), Refused(why="no uid", tags=(Tag("1234567812345678"),))),
        (lying(Tag("e004010800000001")), Refused(why="no uid", tags=(Tag("e004010800000001"),))),
        ([Looked((T1,)), *gone()], Refused(why="passed", tags=(T1,))),
    ],
)
def test_what_is_no_single_fresh_card_is_refused_and_said_once(
    happened: list[Happening], refused: Refused
) -> None:
    enrolment, said = after([*happened, *happened[-1:] * 5])
    assert said == [refused]
    assert enrolment.lines == ()


def test_a_card_that_has_its_tag_already_is_refused_with_its_name() -> None:
    _, said = after([*lying(T1), *gone(), *lying(T1)])
    assert said[-1] == Refused(why="has a card", tags=(T1,), card=AS)


def test_registered_cards_do_no_harm_beside_a_fresh_one() -> None:
    begun = replace(FRESH, lines=(TaggedCard(T1, AS), TaggedCard(T2, KS)))
    assert after(lying(T1, T2), begun)[1] == []
    enrolment, _ = after(lying(T1, T2, T3), begun)
    assert lines_of(enrolment)[2:] == [(QS, T3)]


def test_nothing_is_registered_before_what_was_refused_is_gone() -> None:
    enrolment, _ = after([*lying(T1, T2), *lying(T2, looks=9), *lying(T2, T3)])
    assert enrolment.lines == ()
    enrolment, _ = after([*lying(T1, T2), *gone(), *lying(T2)])
    assert lines_of(enrolment) == [(AS, T2)]


@pytest.mark.parametrize(
    "looks",
    [
        [(T1,), (T1,), (T1, T2), (T1,), (T1,)],
        [(T1,), (), (T1,), (T1,), (), (T1,), (T1,)],
        [(T1,), (T1,)],
    ],
)
def test_a_card_counts_when_so_many_looks_on_end_read_it_and_no_other(
    looks: list[tuple[Tag, ...]],
) -> None:
    enrolment, said = after([Looked(tags) for tags in looks])
    assert said == []
    assert lines_of(after([Looked((T1,))], enrolment)[0]) == [(AS, T1)]


def test_a_card_that_is_missed_now_and_then_is_registered_once() -> None:
    looks = [Looked((T1,)), Looked(()), *lying(T1), Looked(()), Looked(()), *lying(T1)]
    enrolment, said = after(looks)
    assert said == [Registered(card=AS, tag=T1), asked(KS, 1)]
    assert lines_of(enrolment) == [(AS, T1)]


def test_a_card_that_is_taken_back_must_be_lifted_and_is_asked_for_again() -> None:
    enrolment, said = after([*lying(T1), Undone(), *lying(T1)])
    assert said[2:] == [TakenBack(card=AS, tag=T1), asked(AS, 0)]
    assert enrolment.lines == ()
    assert after(lying(T1, T2), enrolment)[0].lines == ()
    enrolment, _ = after([*gone(), *lying(T1)], enrolment)
    assert lines_of(enrolment) == [(AS, T1)]


def test_a_card_that_is_put_off_is_asked_for_at_the_end_and_again() -> None:
    enrolment, said = after([Skipped(), *lying(T1), *lying(T1, T2), Skipped()])
    assert [each for each in said if isinstance(each, Asked)] == [
        asked(KS, 0),
        asked(QS, 1),
        asked(AS, 2),
        asked(AS, 2),
    ]
    assert [line.card for line in enrolment.pack().cards] == [KS, QS]


@pytest.mark.parametrize("happening", [Undone(), Skipped(), Looked((T1,))])
def test_an_order_that_means_nothing_changes_nothing(happening: Happening) -> None:
    whole, _ = after([*lying(T1), *lying(T1, T2), *lying(T1, T2, T3)])
    replacing = replace(whole, replacing=KS)
    if not isinstance(happening, Undone):
        assert take(whole, happening) == (whole, ())
    if not isinstance(happening, Looked):
        assert take(replacing, happening) == (replacing, ())
    assert take(FRESH, Undone()) == (FRESH, ())


PACKED = replace(
    FRESH,
    lines=(TaggedCard(T1, AS), TaggedCard(T2, KS), TaggedCard(T3, QS)),
    replacing=KS,
)
T5 = Tag("E004010800000005")


def test_a_dead_tag_is_replaced_by_a_fresh_one() -> None:
    assert prompt(PACKED) == asked(KS, 3)
    enrolment, said = after(lying(T5), PACKED)
    assert said == [Registered(card=KS, tag=T5), Whole(cards=3)]
    assert [line.tag for line in enrolment.pack().cards] == [T1, T5, T3]


def test_a_dead_tag_is_replaced_by_the_registered_spare_of_its_card_alone() -> None:
    spares = (TaggedCard(T5, KS, spare=True), TaggedCard(T4, QS, spare=True))
    with_spares = replace(PACKED, lines=(*PACKED.lines, *spares), others={})
    enrolment, _ = after(lying(T5), with_spares)
    assert enrolment.pack().cards == (
        TaggedCard(T1, AS),
        TaggedCard(T5, KS),
        TaggedCard(T3, QS),
        TaggedCard(T4, QS, spare=True),
    )
    _, said = after(lying(T4), with_spares)
    assert said == [Refused(why="has a card", tags=(T4,), card=QS)]


def test_a_tag_that_still_answers_is_no_dead_one() -> None:
    _, said = after(lying(T2), PACKED)
    assert said == [Refused(why="has a card", tags=(T2,), card=KS)]


def test_a_makers_signature_is_kept_with_its_card_and_goes_with_it() -> None:
    signed = Signed(T1, b"r s", is_genuine=True)
    enrolment, said = after([*lying(T1), signed])
    assert said[2:] == []
    assert enrolment.signatures == {T1: b"r s"}
    assert after([Undone()], enrolment)[0].signatures == {}
    assert after([signed])[0] == FRESH


def test_a_card_whose_signature_is_not_its_makers_is_taken_back() -> None:
    enrolment, said = after([*lying(T1), Signed(T1, b"r s", is_genuine=False), *lying(T1)])
    assert said[2:] == [
        TakenBack(card=AS, tag=T1),
        Refused(why="forged", tags=(T1,), card=AS),
        asked(AS, 0),
    ]
    assert enrolment.lines == ()


def test_the_signature_of_a_dead_tag_goes_with_it() -> None:
    signed = replace(PACKED, signatures={T1: b"1", T2: b"2"})
    enrolment, _ = after(lying(T5), signed)
    assert enrolment.signatures == {T1: b"1"}


HAPPENINGS = st.lists(
    st.one_of(
        st.builds(Looked, st.lists(st.sampled_from([T1, T2, T3, T4, T5]), unique=True).map(tuple)),
        st.lists(st.sampled_from([T1, T2, T3, T5]), min_size=1, max_size=1).map(
            lambda tags: Looked(tuple(tags))
        ),
        st.just(Undone()),
        st.just(Skipped()),
    ),
    max_size=60,
)


@given(HAPPENINGS)
def test_whatever_happens_no_tag_and_no_card_is_registered_twice(
    happened: list[Happening],
) -> None:
    enrolment, said = after(happened)
    cards, tags = zip(*lines_of(enrolment), strict=True) if enrolment.lines else ((), ())
    assert len(set(cards)) == len(cards)
    assert len(set(tags)) == len(tags)
    assert T4 not in tags
    assert any(isinstance(each, Whole) for each in said) is (enrolment.asked is None)


@pytest.mark.parametrize(
    "said",
    [
        asked(AS, 0),
        Registered(card=AS, tag=T1),
        TakenBack(card=AS, tag=T1),
        Whole(cards=3),
        *(Refused(why=why, tags=(T1,)) for why in get_args(Why)),
    ],
)
def test_everything_that_is_said_has_its_sentence(said: Said) -> None:
    assert said_words(said)


# ---------------------------------------------------------------- registers on disk
TEXT = f"card,tag,spare\nAs,{T1},\nKs,{T2},\n"


def test_a_register_that_is_not_whole_is_read_and_its_faults_are_told() -> None:
    assert [line.tag for line in read_part(TEXT, file="f", name="red", faces=FULL_PACK).cards] == [
        T1,
        T2,
    ]
    for bad in (TEXT + f"As,{T3}\n", TEXT + f"Xx,{T3}\n", TEXT + f"Qs,{T2}\n"):
        with pytest.raises(RegisterError):
            read_part(bad, file="f", name="red", faces=FULL_PACK)


def test_bugs_44_a_column_in_reversed_byte_order_is_said_and_turned_where_it_is_asked_for() -> None:
    turned = re.sub(r"E0\w{14}", lambda m: bytes.fromhex(m[0])[::-1].hex(":"), TEXT)
    with pytest.raises(RegisterError, match="reversed byte order, E0 last"):
        with_lines_of(FRESH, turned, file="maker.csv")
    assert turn_bytes(turned) == TEXT
    assert turn_bytes(TEXT) == TEXT
    enrolment = with_lines_of(FRESH, turn_bytes(turned), file="maker.csv")
    assert lines_of(enrolment) == [(AS, T1), (KS, T2)]
    assert enrolment.asked == QS


def test_a_tag_of_another_pack_is_refused_on_import_too() -> None:
    with pytest.raises(RegisterError, match="a tag that pack 'blue' has not"):
        with_lines_of(FRESH, f"As,{T4}\n", file="maker.csv")


def test_what_is_kept_is_beside_the_register_until_it_is_whole(tmp_path: Path) -> None:
    register = tmp_path / "red.csv"
    part, _ = after([*lying(T1), *lying(T1, T2)])
    keep(part, register)
    assert not register.exists()
    assert part_of(register).read_text() == write_pack(part.pack())
    whole, _ = after(lying(T1, T2, T3), part)
    keep(whole, register)
    assert not register.exists()
    finish(register)
    finish(register)
    assert [path.name for path in tmp_path.iterdir()] == ["red.csv"]
    assert read_pack(register.read_text(), file="f", name="red", faces=FRESH.faces) == whole.pack()
