"""Where two codecs meet: the bridge reads exactly what a simulated reader heard."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from engine.cards import Tag
from firmware_bridge.families import (
    FAMILIES,
    anyid7e55,
    chafon_rr3036_hf,
    chafon_uhf,
    feig,
    front_end,
    metratec_ascii,
    pn532_hsu,
    r200,
    thingmagic,
    ti_trf796x_ascii,
    twn4_simple,
)
from firmware_bridge.families.family import Family, Frame, Message
from firmware_bridge.framing import Framer
from hw_fixtures.devices import catalogue
from hw_fixtures.devices.anyid import CONFIGURATION
from hw_fixtures.devices.device import EM4100, EPC, ISO14443, ISO15693, Device, Heard, TagKind

NAMES = {
    "feig": "00012345",
    "pn532_hsu": "32010607",
    "chafon_uhf": "00160C034E001E0A01000000",
    "thingmagic": "0710230001000003201410070107020900000010",
}
BRIDGE = {"metratec_at": "metratec_ascii", "front_end_shoe": "front_end"}


class Meeting(Struct, frozen=True, kw_only=True):
    """How the bridge's commands make a simulated reader tell what it hears."""

    family: str
    kind: TagKind = ISO15693
    most: int = 60
    """Tags that can be told; the device has a limit of its own where it is low."""
    commands: tuple[bytes, ...]
    """The last of them asks for an inventory."""
    go_on: bytes = b""
    """What asks for the rest of an inventory."""
    knows_all: bool = True
    """Whether the family says that everything was heard."""


MEETINGS = [
    Meeting(
        family="anyid7e55",
        commands=(anyid7e55.query_tags(),),
        go_on=anyid7e55.query_tags(),
    ),
    Meeting(family="feig", commands=(feig.start_inventory(1),), go_on=feig.continue_inventory()),
    Meeting(
        family="metratec_ascii",
        commands=(metratec_ascii.set_radio(), metratec_ascii.start_inventory()),
    ),
    Meeting(family="metratec_at", commands=(metratec_ascii.at_inventory(),)),
    Meeting(
        family="pn532_hsu",
        kind=ISO14443,
        most=2,
        commands=(pn532_hsu.configure_sam(), pn532_hsu.list_targets(2)),
        knows_all=False,
    ),
    Meeting(family="r200", kind=EPC, commands=(r200.poll_once(),), knows_all=False),
    Meeting(family="chafon_uhf", kind=EPC, commands=(chafon_uhf.start_inventory(),)),
    Meeting(
        family="chafon_uhf",
        kind=EPC,
        commands=(chafon_uhf.frame(0x01, bytes.fromhex("0f0001000000008014")),),
    ),
    Meeting(family="chafon_rr3036_hf", most=27, commands=(chafon_rr3036_hf.start_inventory(),)),
    Meeting(
        family="thingmagic",
        kind=EPC,
        most=1,
        commands=(thingmagic.boot(), thingmagic.read_single(1000)),
        knows_all=False,
    ),
    Meeting(family="twn4_simple", most=1, commands=(twn4_simple.search_tag(),), knows_all=False),
    Meeting(family="ti_trf796x_ascii", most=24, commands=(ti_trf796x_ascii.start_inventory(),)),
    Meeting(family="front_end", most=27, commands=(front_end.start_inventory(1, 1),)),
]


HEX = "0123456789ABCDEF"
LENGTHS = {ISO15693: [12], ISO14443: [8, 14, 20], EPC: [4, 16, 24, 124], EM4100: [10]}


def draw_tags(kind: TagKind, most: int) -> st.SearchStrategy[list[Tag]]:
    """Draw different tags of a kind."""
    rest = st.sampled_from(LENGTHS[kind]).flatmap(lambda n: st.text(HEX, min_size=n, max_size=n))
    tags = rest.map(lambda text: Tag(f"E004{text}" if kind is ISO15693 else text))
    return st.lists(tags.filter(kind.fits), max_size=most, unique=True)


def make(name: str, heard: Heard) -> Device:
    family = catalogue.FAMILIES[name]
    return family.make(
        name=NAMES.get(name, "SIM_A"), antennas=1, baud=family.baud, hear=lambda _: heard
    )


class Listener:
    """The bridge's ear: cuts what a device says into pieces by chance and reads it."""

    def __init__(self, name: str, chance: random.Random) -> None:
        self.family: Family = FAMILIES[BRIDGE.get(name, name)]
        self._framer = Framer(self.family)
        self._chance = chance

    def hear(self, data: bytes) -> list[Message]:
        """Take what was said until silence; return what it means."""
        found = []
        while data:
            size = self._chance.randint(1, 20)
            found += self._framer.feed(data[:size])
            data = data[size:]
        found += self._framer.flush()
        messages = [
            self.family.decode(each.data, "rx") for each in found if isinstance(each, Frame)
        ]
        # What is no frame is the empty line that ends an answer of TI's firmware.
        assert all(isinstance(each, Frame) or each.length == 2 for each in found)
        return [each for each in messages if each.name not in ("ack", "end of answer")]


def converse(
    meeting: Meeting, heard: Heard, chance: random.Random
) -> tuple[list[Message], list[str]]:
    """Ask for an inventory and its rest; return the messages and every UID in order."""
    device = make(meeting.family, heard)
    listener = Listener(meeting.family, chance)
    messages: list[Message] = []
    commands = [*meeting.commands]
    told: list[str] = []
    while commands:
        replies = device.receive_data(commands.pop(0))
        messages = listener.hear(b"".join(reply.data for reply in replies))
        told += [uid for message in messages for uid in message.uids]
        is_asked = not commands and meeting.go_on and len(told) < len(heard.tags)
        commands += [meeting.go_on] if is_asked and messages[-1].uids else []
    return messages, told


@pytest.mark.parametrize("meeting", MEETINGS, ids=lambda meeting: meeting.family)
@settings(max_examples=25)
@given(data=st.data(), chance=st.randoms(use_true_random=False))
def test_the_bridge_reads_exactly_the_tags_that_a_reader_heard(
    meeting: Meeting, data: st.DataObject, chance: random.Random
) -> None:
    tags = data.draw(draw_tags(meeting.kind, meeting.most))
    messages, told = converse(meeting, Heard(tuple(tags)), chance)
    assert sorted(told) == sorted(tags)
    last = messages[-1]
    if meeting.knows_all:
        assert last.is_complete
    if not tags:
        assert last.status in ("empty", "error")


@pytest.mark.parametrize("meeting", MEETINGS, ids=lambda meeting: meeting.family)
@settings(max_examples=25)
@given(data=st.data(), chance=st.randoms(use_true_random=False))
def test_a_tag_that_was_heard_and_not_read_never_makes_a_whole_inventory(
    meeting: Meeting, data: st.DataObject, chance: random.Random
) -> None:
    tags = data.draw(draw_tags(meeting.kind, meeting.most))
    messages, told = converse(meeting, Heard(tuple(tags), is_whole=False), chance)
    assert sorted(told) == sorted(tags)
    if meeting.knows_all:
        assert not messages[-1].is_complete
        assert messages[-1].status in ("partial", "error")


class Stream(Struct, frozen=True, kw_only=True):
    """How a simulated reader is made to tell, unasked, what it hears."""

    family: str
    kind: TagKind = ISO15693
    most: int = 20
    commands: tuple[bytes, ...] = ()


UPLOADING = bytes([*CONFIGURATION[:3], 0x07, *CONFIGURATION[4:]])
STREAMS = [
    Stream(family="anyid7e55", commands=(anyid7e55.frame(0xF4, UPLOADING),)),
    Stream(
        family="metratec_ascii",
        commands=(metratec_ascii.set_radio(), metratec_ascii.line("CNR INV")),
    ),
    Stream(family="metratec_at", commands=(metratec_ascii.line("AT+CINV"),)),
    Stream(family="r200", kind=EPC, commands=(r200.poll_many(10),)),
    Stream(
        family="thingmagic",
        kind=EPC,
        commands=(thingmagic.boot(), thingmagic.frame(0x2F, bytes.fromhex("00000122000005"))),
    ),
    Stream(family="rdm6300", kind=EM4100, most=1),
    Stream(family="front_end_shoe"),
    Stream(family="code_shoe"),
]


@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.family)
@settings(max_examples=25)
@given(data=st.data(), chance=st.randoms(use_true_random=False))
def test_the_bridge_reads_what_a_reader_tells_unasked(
    stream: Stream, data: st.DataObject, chance: random.Random
) -> None:
    tags = data.draw(draw_tags(stream.kind, stream.most))
    device = make(stream.family, Heard(tuple(tags)))
    for command in stream.commands:
        device.receive_data(command)
    assert device.is_polling
    said = b"".join(reply.data for reply in device.notices())
    messages = Listener(stream.family, chance).hear(said)
    if stream.family == "code_shoe":
        told = [message.data.decode() for message in messages if message.name == "code"]
    else:
        told = [uid for message in messages for uid in message.uids]
    assert sorted(told) == sorted(tags)


RESTARTS = {
    "metratec_ascii": "restart",
    "front_end": "restart",
    "front_end_shoe": "restart",
}


@pytest.mark.parametrize("family", catalogue.FAMILIES)
def test_the_bridge_knows_a_start_where_the_family_tells_of_it(family: str) -> None:
    device = make(family, Heard())
    device.restart()
    said = b"".join(reply.data for reply in device.greet())
    messages = Listener(family, random.Random(0)).hear(said)
    assert [message.name for message in messages] == [
        name for known, name in RESTARTS.items() if known == family
    ]


def test_a_front_end_is_described_as_it_is() -> None:
    device = make("front_end", Heard())
    [reply] = device.receive_data(front_end.describe(1))
    [message] = Listener("front_end", random.Random(0)).hear(reply.data)
    assert front_end.read_description(message.data) == front_end.Description(
        version=1,
        antennas=1,
        max_tags=27,
        lamps=2,
        has_buzzer=True,
        has_gate=True,
        has_signature=True,
        safe_after_ms=2000,
        model="simulated seat",
        serial="SIM_A",
    )
