"""A simulated i-scan reader: both frames, antennas, statuses beside which data stands."""

import pytest

from engine.cards import Tag
from hw_fixtures.devices.device import Heard
from hw_fixtures.devices.feig import BROADCAST, FeigReader, encode

ONE, TWO = Tag("E00401087A1B2C3D"), Tag("E004015095F5F500")
MANY = tuple(Tag(f"E0040108000000{n:02X}") for n in range(110))
INVENTORY, MORE = "b00100", "b00180"


def with_antennas(tag: Tag, *antennas: int) -> str:
    """Return a data set as a reader has it that was told antennas, as hex."""
    heard = "".join(f"{number:02x}004000000000" for number in antennas)
    return "10" + "0300" + "08" + tag.lower() + f"{len(antennas):02x}" + heard


def reader(*lies: tuple[Tag, ...], is_whole: bool = True) -> FeigReader:
    """Return a reader at whose antennas, from 1 on, these stacks lie."""
    return FeigReader(
        name="00012345",
        antennas=max(1, len(lies)),
        baud=38400,
        hear=lambda number: Heard(lies[number - 1] if lies else (), is_whole),
    )


def ask(device: FeigReader, command: str, *, is_advanced: bool = False) -> str:
    """Ask every reader; return status and data as hex, "silence" where none answers."""
    frame = encode(bytes.fromhex(command), address=BROADCAST, is_advanced=is_advanced)
    replies = device.receive_data(frame)
    if not replies:
        return "silence"
    [reply] = replies
    command_at = 4 if is_advanced else 2
    assert reply.data[command_at : command_at + 1].hex() == command[:2]
    return reply.data[command_at + 1 : -2].hex()


@pytest.mark.parametrize("is_advanced", [False, True])
@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("52", "00"),
        ("65", "00" + "020000004d0008"),
        ("6600", "00" + "020000004d0008" + "01000400"),
        ("6680", "00" + "00012345" + 24 * "0"),
        ("6633", "11"),
        ("66", "81"),
        ("69", "00"),
        ("6a01", "00"),
        ("6a", "81"),
        ("6e01", "000000"),
        ("72", "00"),
        ("74", "0000"),
        ("76", "0003"),
        ("8081", "00" + 28 * "0"),
        ("8181" + 28 * "0", "00"),
        ("a000000000", "00"),
        ("8201", "00"),
        ("8301", "00"),
        ("b1", "82"),
        ("21", "82"),  # buffered read: this reader is in host mode
        ("22", "82"),
        ("31", "82"),
        ("32", "82"),
        ("33", "82"),
        ("55", "80"),
        ("b0", "81"),
        (INVENTORY, "00" + "01" + "0300" + ONE.lower()),
        ("b0011001", "00" + "01" + with_antennas(ONE, 1)),
        ("b0011002", "00" + "01" + with_antennas(TWO, 2)),
        ("b0011003", "00" + "02" + with_antennas(ONE, 1) + with_antennas(TWO, 2)),
        ("bf01" + "00200000" + "02ddfe" + "00" + "0200", "00" + "0000" + "470f"),
        ("bf01" + "00200000" + "02ddfe" + "00" + "0300", "00" + "0011" + "4f0e"),
        ("bf01" + "00200000" + "02ddfe" + "00" + "0202", "00" + "0011" + "4f0e"),
        ("bf01" + "00200000" + "02ddfe" + "01" + "0200", "01"),  # no second multiplexer
        ("bf01" + "00200000" + "02defe" + "00", "00" + "0000" + "470f"),
        ("bf01" + "00200000" + "02c4fe" + "00", "01"),  # no tuner
        ("bf01" + "00380000" + "022000", "00" + "0000000000" + "77cf"),
        ("bf01", "01"),
        ("b0011004", "11"),  # no third antenna
        ("b0011000", "11"),
        ("b00110", "11"),
        ("b0230100", "9512"),
    ],
)
def test_a_command_has_its_answer(command: str, answer: str, is_advanced: bool) -> None:
    assert ask(reader((ONE,), (TWO,)), command, is_advanced=is_advanced) == answer


@pytest.mark.parametrize(("address", "is_heard"), [(0x00, True), (0xFF, True), (0x01, False)])
def test_a_reader_heeds_its_own_address_and_the_broadcast(address: int, is_heard: bool) -> None:
    frame = encode(bytes.fromhex(INVENTORY), address=address)
    assert bool(reader((ONE,)).receive_data(frame)) is is_heard


@pytest.mark.parametrize(
    "noise",
    [
        "00",
        "04ffb0",
        "ff",  # the length of a long frame that never comes
        "0201",
        "020006ffb0",
        "07ffb001001c57",  # wrong CRC
        "020009ffb001001844",
    ],
)
@pytest.mark.parametrize("is_advanced", [False, True])
def test_noise_costs_no_command_but_its_own(noise: str, is_advanced: bool) -> None:
    device = reader((ONE,))
    question = encode(bytes.fromhex(INVENTORY), is_advanced=is_advanced)
    replies = device.receive_data(bytes.fromhex(noise))
    replies += device.receive_data(60 * question)
    # What waited for a long frame is searched when the frame would have been whole.
    assert 55 <= len(replies) <= 60


def test_an_empty_antenna_is_no_transponder() -> None:
    assert ask(reader(()), INVENTORY) == "01"
    assert ask(reader(()), "b0230100") == "01"


def test_a_standard_frame_holds_24_tags_and_the_rest_is_asked_for() -> None:
    device = reader(MANY[:60])
    answers = [ask(device, question) for question in (INVENTORY, MORE, MORE, MORE)]
    assert [answer[:4] for answer in answers] == ["9418", "9418", "000c", "01"]
    uids = [answer[at + 4 : at + 20] for answer in answers for at in range(4, len(answer), 20)]
    assert [uid.upper() for uid in uids] == list(MANY[:60])


def test_the_radio_works_once_for_an_inventory_of_many_frames() -> None:
    device = reader(MANY[:60])
    frames = [encode(bytes.fromhex(question)) for question in (INVENTORY, MORE, MORE)]
    work_ms = [reply.work_ms for frame in frames for reply in device.receive_data(frame)]
    assert work_ms == [15 + 24 * 4, 0.5 + 24 * 4, 0.5 + 12 * 4]


def test_an_advanced_frame_holds_them_all() -> None:
    assert ask(reader(MANY[:60]), INVENTORY, is_advanced=True)[:4] == "003c"


def test_more_tags_than_a_reader_remembers_are_an_overflow() -> None:
    assert ask(reader(MANY), INVENTORY, is_advanced=True)[:4] == "9364"
    assert ask(reader(MANY[:100]), INVENTORY, is_advanced=True)[:4] == "0064"


@pytest.mark.parametrize(
    ("lies", "answers"),
    [
        ((), ["8300", "01"]),
        ((ONE,), ["84010300" + ONE.lower(), "01"]),
    ],
)
def test_radio_trouble_is_told_once_and_beside_what_was_read(
    lies: tuple[Tag, ...], answers: list[str]
) -> None:
    device = reader(lies, is_whole=False)
    assert [ask(device, question) for question in (INVENTORY, MORE)] == answers


def test_radio_trouble_closes_a_long_inventory() -> None:
    device = reader(MANY[:30], is_whole=False)
    assert [ask(device, question)[:4] for question in (INVENTORY, MORE)] == ["9418", "8406"]


@pytest.mark.parametrize("question", [INVENTORY, "69", "6a01"])
def test_a_new_inventory_and_a_radio_reset_forget_the_rest(question: str) -> None:
    device = reader(MANY[:30])
    ask(device, INVENTORY)
    ask(device, question)
    assert ask(device, MORE) == "01"


def test_a_tag_that_was_told_is_quiet_until_the_field_was_away() -> None:
    device = reader((ONE,))
    asked = [INVENTORY, INVENTORY, "69", INVENTORY, "6a00", "6a01", INVENTORY, "b0011001"]
    told = [ask(device, question)[:4] for question in asked]
    assert told == ["0001", "01", "00", "0001", "00", "00", "0001", "01"]


def test_a_tag_that_left_and_came_back_is_told_again() -> None:
    lies = [ONE, TWO]
    device = FeigReader(name="00012345", antennas=1, baud=38400, hear=lambda _: Heard(tuple(lies)))
    assert ask(device, INVENTORY)[:4] == "0002"
    lies.remove(ONE)
    assert ask(device, INVENTORY) == "01"
    lies.append(ONE)
    assert ask(device, INVENTORY) == "00" + "01" + "0300" + ONE.lower()


def test_another_antenna_wakes_the_tags_of_the_first() -> None:
    device = reader((ONE,), (TWO,))
    told = [ask(device, f"b00110{1 << n:02x}")[:4] for n in (0, 1, 0, 0)]
    assert told == ["0001", "0001", "0001", "01"]


def test_a_tag_that_two_antennas_hear_is_told_once_with_both() -> None:
    told = ask(reader((ONE,), (ONE, TWO)), "b0011003")
    assert told == "00" + "02" + with_antennas(ONE, 1, 2) + with_antennas(TWO, 2)


def test_12_tags_with_their_antenna_fill_a_standard_frame() -> None:
    device = reader(MANY[:30])
    answers = [ask(device, question)[:4] for question in ("b0011001", MORE, MORE)]
    assert answers == ["940c", "940c", "0006"]


def test_the_channel_of_a_multiplexer_stays_connected_until_a_restart() -> None:
    device = reader((ONE,), (TWO,))
    select = "bf01" + "00200000" + "02ddfe" + "00"
    told = []
    for channel in (2, 1):
        ask(device, f"{select}{channel:02x}00")
        told.append(ask(device, INVENTORY))
    assert told == ["00010300" + TWO.lower(), "00010300" + ONE.lower()]
    ask(device, f"{select}0200")
    device.restart()
    assert ask(device, INVENTORY) == "00010300" + ONE.lower()
    ask(device, f"{select}0200")
    ask(device, "bf01" + "00200000" + "02defe" + "00")
    ask(device, "69")
    assert ask(device, INVENTORY) == "00010300" + ONE.lower()


def test_a_field_that_is_off_hears_nothing_until_a_restart() -> None:
    device = reader((ONE,))
    ask(device, "6a00")
    assert ask(device, INVENTORY) == "01"
    device.restart()
    assert ask(device, INVENTORY)[:4] == "0001"


def test_a_reset_is_answered_before_the_restart() -> None:
    [reply] = reader((ONE,)).receive_data(encode(b"\x63"))
    assert (reply.data, reply.restarts) == (encode(b"\x63\x00"), True)


def test_an_answer_names_the_antenna_and_the_tags() -> None:
    [reply] = reader((ONE,), (TWO,)).receive_data(encode(bytes.fromhex("b0011002")))
    assert (reply.antenna, reply.tags, reply.is_inventory) == (2, (TWO,), True)
