"""Ours beside others: what an upset reader does, and what counts as a right answer."""

import asyncio

import pytest
from msgspec.structs import replace

from engine.cards import Tag
from hw_fixtures.devices.metratec import encode
from misdeal.bench.figures import columns
from misdeal.bench.peers import PEERS, Peer, play_ours, rows
from misdeal.bench.reckoning import Answer, Score, reckon
from misdeal.bench.upset_reader import TRAITS, Look, Record, Upset, UpsetDevice

PEPPER, PN532, METRATEC = PEERS
LOOKS = (Look(Tag("A"), 1, 15), Look(Tag("B"), 2, 25))
RECORD = Record((5, 11, 12, 21), 1, LOOKS)
RIGHT = Answer(antenna=1, asked_ns=10, answered_ns=20, tags=(Tag("A"),))


@pytest.mark.parametrize(
    ("answer", "right", "wrong", "lost"),
    [
        (RIGHT, 1, 0, 0),
        (replace(RIGHT, antenna=2), 0, 1, 0),
        (replace(RIGHT, asked_ns=16), 0, 1, 0),
        (replace(RIGHT, tags=(Tag("A"), Tag("B"))), 0, 1, 0),
        (replace(RIGHT, tags=(Tag("C"),)), 0, 1, 0),
        (replace(RIGHT, tags=()), 0, 1, 0),
        (replace(RIGHT, tags=None), 0, 0, 1),
    ],
    ids=["right", "another antenna", "an older card", "one too many", "no card", "empty", "error"],
)
def test_an_answer_is_right_if_its_antenna_heard_it_after_the_question(
    answer: Answer, right: int, wrong: int, lost: int
) -> None:
    score = reckon([answer], RECORD)
    assert (score.right, score.wrong, score.lost) == (right, wrong, lost)
    assert (score.asked, score.again) == (1, 0)


def test_who_asks_again_by_himself_has_lost_nothing() -> None:
    score = reckon([replace(RIGHT, tags=None), RIGHT], RECORD, asks_again=True)
    assert (score.asked, score.right, score.lost, score.again) == (1, 1, 0, 1)


def test_only_commands_between_the_first_question_and_the_last_answer_count() -> None:
    assert reckon([RIGHT], RECORD).commands == 2


def replies_of(upset: Upset, *, every: int = 1) -> list[tuple[bytes, float]]:
    device = UpsetDevice("metratec_ascii", upset, every=every, late_ms=500.0)
    device.receive_data(b"SRI SS 100\r")
    replies = [device.receive_data(b"INV\r") for _ in range(2)][-1]
    return [(reply.data, reply.work_ms) for reply in replies]


WHOLE = encode(["E004010000000001", "IVF 01"])
WORK_MS = 23.0


@pytest.mark.parametrize(
    ("upset", "told"),
    [
        ("nothing", [(WHOLE, WORK_MS)]),
        ("stray byte", [(b"E" + WHOLE, WORK_MS)]),
        ("false start", [(b"E00401" + WHOLE, WORK_MS)]),
        ("split frame", [(WHOLE[:12], WORK_MS), (WHOLE[12:], 500.0)]),
        ("late", [(WHOLE, WORK_MS + 500.0)]),
    ],
)
def test_an_answer_with_a_card_goes_wrong_as_planned(
    upset: Upset, told: list[tuple[bytes, float]]
) -> None:
    assert replies_of(upset) == told


def test_answers_between_those_that_go_wrong_are_whole() -> None:
    assert replies_of("late", every=3) == [(WHOLE, WORK_MS)]


def test_every_look_hears_another_card() -> None:
    device = UpsetDevice("pn532_hsu", "nothing", every=1, late_ms=0.0)
    for _ in range(3):
        device.receive_data(bytes.fromhex("0000ff04fcd44a0200e000"))
    assert [look.tag for look in device.record.looks] == [f"0400000000000{n}" for n in range(3)]


@pytest.mark.parametrize("peer", PEERS, ids=[peer.library for peer in PEERS])
def test_the_bridge_answers_every_question_of_an_upset_reader_right(peer: Peer) -> None:
    score = asyncio.run(play_ours(peer, "false start", questions=6))
    assert (score.right, score.asked, score.upsets) == (6, 6, 1)


def test_the_two_lines_stand_beside_each_other_with_their_ratios() -> None:
    ours = Score(right=4, wrong=0, lost=0, again=1, upsets=1, commands=12, took_s=0.1)
    theirs = replace(ours, right=2, wrong=1, lost=1, again=0, took_s=1.0)
    told = rows(PEPPER, "late", ours, theirs)
    assert told[0][2:] == ("4/4", "0", "0", "1", "25.0", "8.3", "120", "10.0", "20.0")
    assert told[1][2:] == ("2/4", "1", "1", "0", "250.0", "83.3", "12", "", "")


def test_a_library_that_is_never_right_has_no_ratio_of_right_answers() -> None:
    ours = Score(right=4, wrong=0, lost=0, upsets=1, commands=12, took_s=0.1)
    theirs = replace(ours, right=0, wrong=4)
    assert rows(METRATEC, "late", ours, theirs)[0][-1] == "-"


def test_every_peer_has_a_reader_that_can_be_upset() -> None:
    assert {peer.family for peer in PEERS} == set(TRAITS)
    assert columns([("a", "b")]) == "a  b"
