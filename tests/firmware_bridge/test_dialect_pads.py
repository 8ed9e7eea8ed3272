"""The pads whose answers name no command: RR3036, TWN4 and TRF796x, told apart by shape."""

import pytest
from fastcrc import crc16

from firmware_bridge.dialects.chafon_rr3036 import Rr3036
from firmware_bridge.dialects.dialect import UNHEARD, UNSET, Greeting, Inventory
from firmware_bridge.dialects.trf796x import Trf796x
from firmware_bridge.dialects.twn4 import Twn4
from firmware_bridge.families import chafon_rr3036_hf, ti_trf796x_ascii, twn4_simple
from tests.firmware_bridge.wires import ICODES, Wired, converse, heard

X = bytes.fromhex


# ---------------------------------------------------------------- RR3036
def word(body: str) -> bytes:
    head = bytes([len(X(body)) + 3, 0]) + X(body)
    return head + crc16.mcrf4xx(head).to_bytes(2, "little")


DESCRIBE = X("05ff000085ab")
DESCRIPTION = word("00" + "0100000036000a1e")
INVENTORY = X("05ff01066bd7")


def test_an_rr3036_is_known_by_its_description_and_nothing_else_is_taken_for_it() -> None:
    # chafon_rr3036_hf-062 to 064: inventories
    late = X("0d000000b951bdca500104e04b8d") + X("04000e2cb3") + word("00")
    dialog = Rr3036().probe()
    _, unfit = converse(dialog, chafon_rr3036_hf.FAMILY, [(DESCRIBE, late + DESCRIPTION)])
    assert len(unfit) == 3


def test_an_rr3036_is_set_to_iso_15693_with_its_field_on() -> None:
    exchanges = [
        (X("05ff0006b3ce"), word("00")),
        (X("05ff00029788"), word("00")),
        (DESCRIBE, DESCRIPTION),
    ]
    greeting, _ = converse(Rr3036().greet(), chafon_rr3036_hf.FAMILY, exchanges)
    assert greeting == Greeting(("0100 36",))


def test_a_description_is_no_word() -> None:
    exchanges = [
        (X("05ff0006b3ce"), DESCRIPTION + word("00")),
        (X("05ff00029788"), word("00")),
        (DESCRIBE, word("00") + DESCRIPTION),
    ]
    _, unfit = converse(Rr3036().greet(), chafon_rr3036_hf.FAMILY, exchanges)
    assert len(unfit) == 2


@pytest.mark.parametrize(
    ("told", "found"),
    [
        (X("0d000000b951bdca500104e04b8d"), heard(("E0040150CABD51B9",), is_complete=True)),
        (X("04000e2cb3"), Inventory(is_complete=True)),
        (X("0d000b00b951bdca500104e00b90"), heard(("E0040150CABD51B9",))),
        (word("0b"), UNHEARD),
        (word("0a"), UNHEARD),
        (word("05"), UNSET),
        (word("1f"), UNSET),
    ],
)
def test_bugs_48_what_an_inventory_of_an_rr3036_is_worth(told: bytes, found: Inventory) -> None:
    dialog = Rr3036().inventory(1)
    assert converse(dialog, chafon_rr3036_hf.FAMILY, [(INVENTORY, told)])[0] == found


def test_bugs_50_an_rr3036_whose_field_is_off_is_set_up_again() -> None:
    wired = Wired("chafon_rr3036_hf", {1: ICODES[:1]}).ready()
    wired.device.receive_data(X("05ff00010ca5"))  # field off
    wired.device.receive_data(word_to("0001"))
    assert wired.ask().outcome == "unknown"
    wired.run(1_000)
    assert wired.session.state == "READY"
    assert wired.session.tally.restarts == 1
    assert wired.ask().tags == ICODES[:1]


def word_to(body: str) -> bytes:
    head = bytes([len(X(body)) + 3, 0xFF]) + X(body)
    return head + crc16.mcrf4xx(head).to_bytes(2, "little")


# ---------------------------------------------------------------- TWN4
def line(payload: str, *, has_crc: bool = True) -> bytes:
    data = X(payload)
    whole = data + (crc16.mcrf4xx(data).to_bytes(2, "little") if has_crc else b"")
    return whole.hex().upper().encode() + b"\r"


def test_a_twn4_is_probed_by_its_usb_type() -> None:
    # twn4_simple-140, 141; before it, a search that found nothing and an echo of the question
    late = line("0000") + b"000515A7\r"
    exchanges = [(b"000515A7\r", late + b"000131E1\r")]
    _, unfit = converse(Twn4().probe(), twn4_simple.FAMILY, exchanges)
    assert len(unfit) == 2


@pytest.mark.parametrize("error", [b"03\r", b"05\r"])
def test_a_twn4_that_wants_no_checksums_is_spoken_to_without(error: bytes) -> None:
    dialect = Twn4()
    exchanges = [(b"000515A7\r", error), (b"0005\r", b"0001\r")]  # twn4_simple-142, 143
    converse(dialect.probe(), twn4_simple.FAMILY, exchanges)
    assert dialect.reset == b"0001\r"
    found, _ = converse(dialect.inventory(1), twn4_simple.FAMILY, [(b"050010\r", b"0000\r")])
    assert found == Inventory(is_complete=True)


def test_a_twn4_tells_its_version() -> None:
    told = line("00" + "0a" + b"TWN4/V3.15".hex())
    greeting, _ = converse(Twn4().greet(), twn4_simple.FAMILY, [(b"000440571C\r", told)])
    assert greeting == Greeting(("TWN4/V3.15",))
    refused = [(b"000440571C\r", line("01"))]
    assert converse(Twn4().greet(), twn4_simple.FAMILY, refused)[0] == Greeting()


def test_what_a_search_said_is_no_version() -> None:
    late = line("0000") + line("0001824008e00401508b1706e5")
    told = line("00" + "01" + b"7".hex())
    exchanges = [(b"000440571C\r", late + told)]
    greeting, unfit = converse(Twn4().greet(), twn4_simple.FAMILY, exchanges)
    assert (greeting, len(unfit)) == (Greeting(("7",)), 2)


@pytest.mark.parametrize(
    ("told", "found"),
    [
        (line("0000"), Inventory(is_complete=True)),
        (line("0001824008e00401508b1706e5"), heard(("E00401508B1706E5",))),
        (line("04"), UNHEARD),
    ],
)
def test_a_twn4_finds_one_tag_or_none(told: bytes, found: Inventory) -> None:
    dialog = Twn4().inventory(1)
    assert converse(dialog, twn4_simple.FAMILY, [(b"0500100F10\r", told)])[0] == found


# ---------------------------------------------------------------- TRF796x
REGISTERS = b"010C00030410002101000000"
SLOTS = b"010B000304140401000000"
SAID = b"ISO 15693 Inventory request.\r\n"


def test_a_trf796x_is_probed_by_the_write_of_its_registers() -> None:
    # ti_trf796x_ascii-174: an inventory
    late = SAID + b"[,40]\r\n\r\n"
    exchanges = [(REGISTERS, late + b"Register write request.\r\n\r\n")]
    _, unfit = converse(Trf796x().probe(), ti_trf796x_ascii.FAMILY, exchanges)
    assert [message.name for message in unfit] == ["inventory"]
    exchanges = [(b"0108000304FE0000", b"Firmware Version 3.2 \r\n\r\n")]
    greeting, _ = converse(Trf796x().greet(), ti_trf796x_ascii.FAMILY, exchanges)
    assert greeting == Greeting(("firmware version 3.2",))


TAG, NO_TAG, COLLIDED = b"[5C5B3C1B000007E0,7F]\r\n", b"[,40]\r\n", b"[,z]\r\n"


@pytest.mark.parametrize(
    ("slots", "found"),
    [
        (NO_TAG * 16, Inventory(is_complete=True)),
        (NO_TAG + TAG + NO_TAG * 14, heard(("E00700001B3C5B5C",), is_complete=True)),
        (
            COLLIDED + NO_TAG * 15 + TAG + NO_TAG * 15,
            heard(("E00700001B3C5B5C",), is_complete=True),
        ),
        (TAG + COLLIDED + NO_TAG * 14, heard(("E00700001B3C5B5C",))),
        (NO_TAG + COLLIDED, UNHEARD),
        (NO_TAG * 15, UNHEARD),
        # The whole answer where one slot was asked for: here it is the first of 16.
        (NO_TAG, UNHEARD),
        (TAG, heard(("E00700001B3C5B5C",))),
        (b"", UNHEARD),
    ],
)
@pytest.mark.parametrize("end", [b"\r\n", b"D", b""])
def test_bugs_48_a_slot_with_a_collision_is_tags_unread(
    slots: bytes, found: Inventory, end: bytes
) -> None:
    dialog = Trf796x().inventory(1)
    exchanges = [(SLOTS, SAID + slots + end)]
    assert converse(dialog, ti_trf796x_ascii.FAMILY, exchanges)[0] == found


def test_what_is_left_of_a_cut_answer_is_no_answer_to_the_next_question() -> None:
    left = NO_TAG * 16 + b"\r\n"
    exchanges = [(SLOTS, left + SAID + TAG + NO_TAG * 15 + b"\r\n")]
    found, unfit = converse(Trf796x().inventory(1), ti_trf796x_ascii.FAMILY, exchanges)
    assert found == heard(("E00700001B3C5B5C",), is_complete=True)
    assert [(each.name, each.status) for each in unfit] == [("slots", "partial")]


@pytest.mark.parametrize("count", [12, 30, 52])
def test_a_pack_on_the_pad_is_told_whole_however_many_rounds_it_takes(count: int) -> None:
    wired = Wired("ti_trf796x_ascii", {1: ICODES[:count]}).ready()
    for _ in range(3):
        poll = wired.ask()
        assert (sorted(poll.tags), poll.is_complete) == (sorted(ICODES[:count]), True)
    assert wired.session.tally.strays == 0


def test_an_answer_that_nothing_ends_is_over_when_the_line_is_quiet() -> None:
    wired = Wired("ti_trf796x_ascii", {1: ICODES[:2]}).ready()
    wired.wire = lambda _command, answers: [(wait, data[:-2]) for wait, data in answers]
    poll = wired.ask()
    assert sorted(poll.tags) == sorted(ICODES[:2])
