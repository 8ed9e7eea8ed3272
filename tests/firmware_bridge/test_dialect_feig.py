"""FEIG, frame by frame: the field, parts, antennas, the multiplexer."""

from collections.abc import Callable

import pytest
from fastcrc import crc16

from firmware_bridge.dialects.dialect import MOST_LISTED, UNHEARD, Greeting, Inventory, Options
from firmware_bridge.dialects.feig import Feig
from firmware_bridge.families.feig import FAMILY
from tests.firmware_bridge.wires import converse, heard

X = bytes.fromhex
Exchange = tuple[bytes, bytes]
# Commands: feig-028 and derived ones that tests/firmware_bridge/test_family_builders.py has.
INVENTORY = X("07ffb001001c56")
ANTENNA_3 = X("08ffb00110048734")
MORE = X("07ffb0018014d2")
RADIO_RESET = X("05ff698901")
CHANNEL_5 = X("10ffbf010020000002ddfe0005005a69")


def answer(body: str) -> bytes:
    """Return an answer of reader 00: command, status and data in hex."""
    head = bytes([len(X(body)) + 4, 0]) + X(body)
    return head + crc16.mcrf4xx(head).to_bytes(2, "little")


WOKEN: Exchange = (RADIO_RESET, answer("6900"))


def found(options: Options, antenna: int, *exchanges: Exchange) -> Inventory | None:
    return converse(Feig(options).inventory(antenna), FAMILY, exchanges)[0]


def test_a_reader_is_known_by_its_device_id() -> None:
    converse(Feig().probe(), FAMILY, [(X("05ff65e5cb"), answer("65000200000044000a"))])
    told = answer("66000012abcd" + "00" * 12)
    greeting, _ = converse(Feig().greet(), FAMILY, [(X("06ff6680c53b"), told)])
    assert greeting == Greeting(("0012ABCD",))


def test_a_reader_without_a_device_id_has_no_name() -> None:
    greeting, _ = converse(Feig().greet(), FAMILY, [(X("06ff6680c53b"), answer("6680"))])
    assert greeting == Greeting()


@pytest.mark.parametrize(
    ("told", "inventory"),
    [
        # feig-034
        (
            X("1100b000010300e01680ff08004fbc187b"),
            heard(("E01680FF08004FBC",), is_complete=True),
        ),
        # feig-030
        (X("0600b0015c63"), Inventory(is_complete=True)),
        # feig-032
        (X("0700b08300b22c"), UNHEARD),
        # feig-047
        (X("1100b084010300e004015095f5f5005dbb"), heard(("E004015095F5F500",))),
        (answer("b082"), UNHEARD),
    ],
)
def test_bugs_48_what_an_inventory_is_worth(told: bytes, inventory: Inventory) -> None:
    assert found(Options(), 1, WOKEN, (INVENTORY, told)) == inventory


def test_bugs_48_more_is_asked_for_until_there_is_no_more() -> None:
    # feig-046: status 94 with two tags
    first = X("1b00b094020300e004015095f5f5000300e00401508ade01024782")
    rest = X("1100b000010300e01680ff08004fbc187b")
    tags = ("E004015095F5F500", "E00401508ADE0102", "E01680FF08004FBC")
    whole = found(Options(), 1, WOKEN, (INVENTORY, first), (MORE, rest))
    assert whole == heard(tags, is_complete=True)
    part = found(Options(), 1, WOKEN, (INVENTORY, first), (MORE, answer("b083")))
    assert part == heard(tags[:2])


def test_a_reader_that_goes_on_for_ever_is_not_believed() -> None:
    first = answer("b09418" + "".join(f"0300e0040150000000{n:02x}" for n in range(24)))
    endless = [(INVENTORY, first), *[(MORE, first)] * (MOST_LISTED // 24)]
    inventory = found(Options(), 1, WOKEN, *endless)
    assert inventory is not None
    assert not inventory.is_complete


def test_a_field_that_cannot_be_taken_away_gives_no_inventory() -> None:
    assert found(Options(), 1, (RADIO_RESET, answer("6980"))) == UNHEARD


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(lambda uid: f"0300{uid}", id="plain"),
        pytest.param(lambda uid: f"100300 08{uid} 01 03000000000000", id="with antennas"),
    ],
)
def test_an_output_of_the_reader_is_told_by_the_antenna_byte(shape: Callable[[str], str]) -> None:
    told = answer("b00001" + shape("e01680ff08004fbc").replace(" ", ""))
    inventory = found(Options((1, 2, 3)), 3, WOKEN, (ANTENNA_3, told))
    assert inventory == heard(("E01680FF08004FBC",), is_complete=True)


@pytest.mark.parametrize(
    ("switched", "inventory"),
    [("bf0000001234", Inventory(is_complete=True)), ("bf0000111234", UNHEARD), ("bf01", UNHEARD)],
)
def test_a_channel_of_the_multiplexer_is_chosen_through_the_reader(
    switched: str, inventory: Inventory
) -> None:
    rest = [WOKEN, (INVENTORY, X("0600b0015c63"))] if inventory.is_good else []
    exchanges = [(CHANNEL_5, answer(switched)), *rest]
    options = Options((1, 5), has_multiplexer=True)
    assert found(options, 5, *exchanges) == inventory
