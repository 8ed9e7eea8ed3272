"""How a table is wired, and which wirings are refused."""

import pytest
from msgspec.structs import replace

from engine.cards import BOARD, BURN, MUCK, PACK, SHOE, Card, Place
from firmware_bridge.dialects import DIALECTS
from firmware_bridge.errors import WiringError
from firmware_bridge.wiring import ReaderSpec, are_neighbours, check_wiring, device_of

S1, S2, S3, S9 = Place("S1"), Place("S2"), Place("S3"), Place("S9")
A = ReaderSpec(name="A", port="/dev/a", antennas={1: S1, 2: S2})
B = ReaderSpec(name="B", port="/dev/b", antennas={1: SHOE})


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        (S1, S2, True),
        (S2, S1, True),
        (S1, S3, False),
        (S1, S1, False),
        (S1, S9, False),
        (BOARD, BURN, True),
        (MUCK, BOARD, True),
        (BOARD, BOARD, False),
        (S1, BOARD, False),
        (SHOE, BURN, False),
        (PACK, MUCK, False),
    ],
)
def test_which_places_hear_each_other(one: Place, other: Place, *, near: bool) -> None:
    assert are_neighbours(one, other) is near


@pytest.mark.parametrize(
    ("place", "device"), [(S3, "seat:3"), (Place("S10"), "seat:10"), (SHOE, "shoe"), (PACK, "pack")]
)
def test_a_place_has_a_device(place: Place, device: str) -> None:
    assert device_of(place) == device


def test_a_sound_wiring_passes() -> None:
    check_wiring([A, B])


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        (replace(B, name="A"), "reader name A is given twice"),
        (replace(B, port="/dev/a"), "port /dev/a is given twice"),
        (replace(B, antennas={1: S1}), "place S1 is given twice"),
        (replace(B, antennas={}), "reader B has no antenna"),
        (replace(B, antennas={0: SHOE}), "reader B has no antenna 0, but 1 to 8"),
        (
            replace(B, family="pepper"),
            f"reader B: no family pepper, known are {', '.join(DIALECTS)}",
        ),
    ],
)
def test_a_wiring_that_cannot_work_is_refused(spec: ReaderSpec, fault: str) -> None:
    with pytest.raises(WiringError) as caught:
        check_wiring([A, spec])
    assert caught.value.faults == (fault,)


PN532 = replace(B, family="pn532_hsu", antennas={1: S3})


@pytest.mark.parametrize(
    ("spec", "hand_cards", "fault"),
    [
        (PN532, 2, None),
        (PN532, 4, "reader B hears 2 cards at once, too few for S3: a hand of this game has 4"),
        (replace(PN532, antennas={1: PACK}), 4, None),
        (replace(PN532, family="twn4_simple"), 2, "reader B hears 1 cards at once, too few for S3"),
        (replace(PN532, family="pepper_c1"), 7, None),
        (replace(PN532, family="feig"), 26, None),
    ],
)
def test_bugs_42_and_47_a_reader_that_hears_too_few_cards_for_the_game_is_refused(
    spec: ReaderSpec, hand_cards: int, fault: str | None
) -> None:
    if fault is None:
        check_wiring([A, spec], hand_cards=hand_cards)
        return
    with pytest.raises(WiringError, match=fault):
        check_wiring([A, spec], hand_cards=hand_cards)


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        (
            replace(B, family="rdm6300", identity="A"),
            "reader B: a rdm6300 cannot say who it is; leave the identity out",
        ),
        (
            replace(B, family="code_shoe"),
            "reader B tells codes and has no map that says which cards they are",
        ),
    ],
)
def test_what_a_family_cannot_do_is_not_asked_of_it(spec: ReaderSpec, fault: str) -> None:
    with pytest.raises(WiringError) as caught:
        check_wiring([A, spec])
    assert caught.value.faults == (fault,)


@pytest.mark.parametrize(
    "spec",
    [
        replace(B, family="code_shoe", codes={"3020": Card("2c")}),
        replace(B, family="rdm6300"),
        replace(B, family="front_end", antennas={}),
    ],
)
def test_what_needs_no_antenna_no_name_or_has_its_map_passes(spec: ReaderSpec) -> None:
    check_wiring([A, spec])
