"""AnyID, frame by frame: what remains, the field, uploads, the pause between two commands."""

from itertools import pairwise

import pytest
from fastcrc import crc16

from engine.cards import Tag
from firmware_bridge.dialects.anyid7e55 import AnyId
from firmware_bridge.dialects.dialect import UNHEARD, Greeting, Inventory, Options
from firmware_bridge.families.anyid7e55 import FAMILY
from tests.firmware_bridge.wires import ICODES, MS, Arrivals, Wired, converse, heard

X = bytes.fromhex
QUERY = X("7e5509000001001100007dfb")  # anyid7e55-002
FIELD = X("7e550a00000100f00002006715")
ANTENNA_2 = X("7e550e00000100f200000100000000fa90")
ANTENNA_4 = X("7e550e00000100f20000000001000062c1")
UPLOAD = X("7e5513010000001000b951bdca500104e0aa00006f0a")  # anyid7e55-009


def answer(command: str, params: str) -> bytes:
    """Return an answer of reader 0001."""
    rest = X(f"010000001f{command}00{params.replace(' ', '')}")
    body = bytes([len(rest) + 2]) + rest
    return b"\x7e\x55" + body + crc16.ibm_sdlc(body).to_bytes(2, "little")


ONE, TWO = "b951bdca500104e0aa", "b851bdca500104e0aa"
TAGS = ("E0040150CABD51B9", "E0040150CABD51B8")


def test_a_reader_is_known_by_its_cpu() -> None:
    number = "0102030405060708090a0b0c"
    exchanges = [(X("7e550800000100f800effc"), answer("f8", number + "0000"))]
    greeting, _ = converse(AnyId().greet(), FAMILY, exchanges)
    assert greeting is not None
    assert greeting.names[0] == number.upper()
    refused = [(X("7e550800000100f800effc"), answer("f8", "0100"))]
    assert converse(AnyId().greet(), FAMILY, refused)[0] == Greeting()


@pytest.mark.parametrize(
    ("answers", "found"),
    [
        pytest.param([ONE + "0000"], heard(TAGS[:1], is_complete=True), id="one"),
        pytest.param(["0000"], Inventory(is_complete=True), id="empty"),
        pytest.param([ONE + "0100", TWO + "0000"], heard(TAGS, is_complete=True), id="one remains"),
        pytest.param([ONE + "0100", ONE + "0100"], heard(TAGS[:1]), id="bugs 48: unread"),
        pytest.param(["0100"], UNHEARD, id="bugs 48: a tag that cannot be read"),
        pytest.param(["b951bdca"], UNHEARD, id="no inventory"),
    ],
)
def test_bugs_48_what_remains_is_asked_for(answers: list[str], found: Inventory) -> None:
    told = [(QUERY, answer("11", each)) for each in answers]
    exchanges = [(FIELD, answer("f0", "0000")), *told]
    assert converse(AnyId().inventory(1), FAMILY, exchanges)[0] == found


def test_the_field_is_taken_away_only_where_the_antenna_stays() -> None:
    dialect = AnyId(Options((2, 4)))
    empty = (QUERY, answer("11", "0000"))
    asked = {
        2: [(ANTENNA_2, answer("f2", "0000")), empty],
        4: [(ANTENNA_4, answer("f2", "0000")), empty],
    }
    again = [(FIELD, answer("f0", "0000")), empty]
    for antenna, exchanges in ((2, asked[2]), (4, asked[4]), (4, again), (2, asked[2])):
        found, _ = converse(dialect.inventory(antenna), FAMILY, exchanges)
        assert found == Inventory(is_complete=True)


def test_an_antenna_that_is_refused_is_not_taken_for_chosen() -> None:
    dialect = AnyId(Options((2, 4)))
    refused = [(ANTENNA_2, answer("f2", "0100"))]
    assert converse(dialect.inventory(2), FAMILY, refused)[0] == UNHEARD
    chosen = [(ANTENNA_2, answer("f2", "0000")), (QUERY, answer("11", "0000"))]
    other = [(ANTENNA_4, answer("f2", "0100"))]
    for exchanges in (chosen, other, chosen):
        found, _ = converse(dialect.inventory(4 if exchanges is other else 2), FAMILY, exchanges)
        assert found == (UNHEARD if exchanges is other else Inventory(is_complete=True))


def test_after_a_probe_no_antenna_is_taken_for_chosen() -> None:
    dialect = AnyId(Options((2, 4)))
    chosen = [(ANTENNA_2, answer("f2", "0000")), (QUERY, answer("11", "0000"))]
    version = [(X("7e55080000fffff700bd60"), answer("f7", "52" * 50 + "0000"))]
    converse(dialect.inventory(2), FAMILY, chosen)
    converse(dialect.probe(), FAMILY, version)
    converse(dialect.inventory(2), FAMILY, chosen)


def test_an_upload_is_confirmed_and_costs_no_answer() -> None:
    wired = Wired("anyid7e55", {1: ICODES[:1]}).ready()

    def upload_first(_command: bytes, answers: Arrivals) -> Arrivals:
        return [(wait, UPLOAD + data) for wait, data in answers]

    wired.wire = upload_first
    poll = wired.ask()
    assert poll.tags == ICODES[:1]
    confirmed = X("7e550b000001001f10000000f0fc")
    assert sum(sent.count(confirmed) for sent in wired.sent) == wired.session.tally.notices > 0


def test_commands_are_at_least_50_ms_apart() -> None:
    wired = Wired("anyid7e55", {1: ICODES[:52]}).ready()
    times: list[int] = []

    def note(_command: bytes, answers: Arrivals) -> Arrivals:
        times.append(wired.now_ns)
        return answers

    wired.wire = note
    wired.run(2_000, asking=[1])
    assert len(times) > 10
    assert all(late - early >= 55 * MS for early, late in pairwise(times))
    assert wired.session.tally.timeouts == 0


@pytest.mark.parametrize(
    ("params", "signature"),
    [
        ("00" + "ab" * 32 + "0000", bytes([0xAB] * 32)),
        ("0103", b""),
        ("010f0000", b""),
    ],
)
def test_a_tag_is_asked_for_its_signature_through_the_reader(params: str, signature: bytes) -> None:
    asked = X("7e5517000001002f000b22bd04c41494b5500104e0204e212036")
    exchanges = [(FIELD, answer("f0", "0000")), (asked, answer("2f", params))]
    dialog = AnyId().read_signature(1, Tag("E0040150B59414C4"))
    assert converse(dialog, FAMILY, exchanges)[0] == signature
