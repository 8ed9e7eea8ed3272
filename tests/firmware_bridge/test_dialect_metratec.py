"""Metratec, line by line: both generations, CRC mode, sleep, lost settings."""

import pytest

from firmware_bridge.dialects.dialect import UNHEARD, UNSET, Greeting, Inventory, Options
from firmware_bridge.dialects.metratec import Metratec
from firmware_bridge.families.metratec_ascii import FAMILY
from tests.firmware_bridge.wires import Wired, converse, heard

Exchanges = list[tuple[bytes, bytes]]
# metratec_ascii-183: the name is padded to 16 characters, the version follows.
REV = b"DESKID_ISO      0200\r"
SET_UP: Exchanges = [
    (b"CON\r", b"OK!\r"),
    (b"REV 76AF\r", b"DESKID_ISO      0200\r"),
    (b"MOD 156 2394\r", b"OK!\r"),
]


def learned(exchanges: Exchanges, antennas: tuple[int, ...] = (1,)) -> Metratec:
    """Return a dialect after a probe and a greeting; the set-up's words bear no checksum here."""
    dialect = Metratec(Options(antennas))
    assert converse(dialect.probe(), FAMILY, exchanges) == (None, [])
    return dialect


def test_an_awake_ascii_reader_is_stopped_and_asked_who_it_is() -> None:
    learned([(b"BRK\r", b"BRA\r"), (b"REV\r", REV)])


def test_a_reader_in_crc_mode_is_brought_out_of_it_first() -> None:
    learned([(b"BRK\r", b"CCE\r"), (b"COF 4F5E\r", b"OK!\r"), (b"REV\r", REV)])


def test_bugs_52_until_the_identity_came_nothing_else_is_taken_for_it() -> None:
    late = b"OK!\rUCO\rNCM\rE00401087A1B0001\rIVF 01\r"
    dialog = Metratec().probe()
    _, unfit = converse(dialog, FAMILY, [(b"BRK\r", b"NCM\r"), (b"REV\r", late + REV)])
    assert [message.name for message in unfit] == ["done", "answer", "nothing to stop", "inventory"]


def test_the_set_up_goes_on_in_crc_mode_and_tells_name_and_version() -> None:
    dialect = learned([(b"BRK\r", b"NCM\r"), (b"REV\r", REV)], antennas=(1, 2))
    exchanges = [
        *SET_UP,
        (b"SAP ARP ON 3B93\r", b"OK!\r"),
        (b"SRI SS 100 BC70\r", b"OK!\r"),
    ]
    assert converse(dialect.greet(), FAMILY, exchanges)[0] == Greeting(("DESKID_ISO 0200",))


def test_a_reader_that_refuses_its_radio_cannot_work() -> None:
    dialect = learned([(b"BRK\r", b"NCM\r"), (b"REV\r", REV)])
    exchanges = [*SET_UP, (b"SRI SS 100 BC70\r", b"NOS\r")]
    greeting, _ = converse(dialect.greet(), FAMILY, exchanges)
    assert greeting is not None
    assert greeting.flaw == "it refuses its radio: NOS: not supported"


def test_a_reader_without_crc_mode_is_spoken_to_without() -> None:
    dialect = learned([(b"BRK\r", b"NCM\r"), (b"REV\r", REV)])
    exchanges = [
        (b"CON\r", b"UCO\r"),
        (b"REV\r", REV),
        (b"MOD 156\r", b"OK!\r"),
        (b"SRI SS 100\r", b"OK!\r"),
    ]
    assert converse(dialect.greet(), FAMILY, exchanges)[0] == Greeting(("DESKID_ISO 0200",))


def asked(answer: bytes, antenna: int = 12) -> Inventory | None:
    dialect = learned([(b"BRK\r", b"NCM\r"), (b"REV\r", REV)], antennas=(1, 12))
    exchanges = [(b"SAP MAN 12\r", b"OK!\r"), (b"INV\r", answer)]
    return converse(dialect.inventory(antenna), FAMILY, exchanges)[0]


TWO = ("E0040150954F02B1", "E200600311753E33")


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        pytest.param(
            # metratec_ascii-177
            b"E0040150954F02B1\rE200600311753E33\rARP 12\rIVF 02\r",
            heard(TWO, is_complete=True),
            id="two",
        ),
        pytest.param(b"ARP 12\rIVF 00\r", Inventory(is_complete=True), id="empty"),
        pytest.param(
            b"E0040150954F02B1\rARP 12\rIVF 02\r",
            heard(TWO[:1]),
            id="bugs 48: a line is lost",
        ),
        pytest.param(
            # metratec_ascii-184: says antenna 1
            b"E0040150954F02B1\rARP 01\rIVF 02\r",
            UNHEARD,
            id="bugs 52: another antenna's",
        ),
        pytest.param(b"CDT\r", UNHEARD, id="a collision"),
        pytest.param(b"TNR\r", UNHEARD, id="an error"),
        pytest.param(b"UCO\r", UNSET, id="bugs 50: it does not know us any more"),
        pytest.param(b"CCE\r", UNSET, id="bugs 50: it wants checksums"),
    ],
)
def test_an_inventory_is_one_answer_with_its_count_and_its_antenna(
    answer: bytes, found: Inventory
) -> None:
    assert asked(answer) == found


@pytest.mark.parametrize("notice", [b"RNW\r", b"SRT\r"])
def test_bugs_50_a_restart_is_no_answer_and_has_the_reader_set_up_again(notice: bytes) -> None:
    wired = Wired("metratec_ascii").ready()
    wired.wire = lambda _command, _answers: []
    wired.follow(wired.session.ask(1, wired.now_ns))
    wired.follow(wired.session.receive(notice, wired.now_ns))
    assert wired.session.why == "the reader restarted"
    assert [poll.outcome for poll in wired.polls] == ["unknown"]
    wired.wire = lambda _command, answers: answers
    wired.run(1_000)
    assert wired.session.state == "READY"


def test_a_reader_that_sleeps_is_woken() -> None:
    wired = Wired("metratec_ascii")
    wired.wire = lambda command, answers: [] if command == b"BRK\r" else answers
    wired.open()
    wired.run(2_000)
    assert wired.session.state == "READY"
    assert b"WAK\r" in wired.sent


def test_a_reader_that_sleeps_in_crc_mode_is_woken_in_it() -> None:
    exchanges: list[tuple[bytes, bytes | None]] = [
        (b"BRK\r", None),
        (b"WAK\r", b"CCE\r"),
        (b"WAK 5E70\r", b"GMO\r"),
        (b"COF 4F5E\r", b"OK!\r"),
        (b"REV\r", REV),
    ]
    assert converse(Metratec().probe(), FAMILY, exchanges) == (None, [])


def test_a_reader_with_one_antenna_is_not_told_which() -> None:
    dialect = learned([(b"BRK\r", b"NCM\r"), (b"REV\r", REV)])
    exchanges = [(b"INV\r", b"IVF 00\r")]
    assert converse(dialect.inventory(1), FAMILY, exchanges)[0] == Inventory(is_complete=True)


def test_a_reader_that_hangs_is_restarted_in_its_own_words() -> None:
    assert Metratec().reset == b"RST\r"


def test_the_at_generation_is_known_by_its_error() -> None:
    dialect = Metratec(Options((1, 2)))
    told = b"+SW: PULSAR_LR 0100\r+HW: PULSAR_LR 0100\r+SERIAL: 2020090817420000\r\nOK\r\n"
    converse(dialect.probe(), FAMILY, [(b"BRK\r", b"ERROR\r\n"), (b"ATI\r", told)])
    assert dialect.reset == b"AT+RST\r"
    exchanges = [
        (b"AT+BINV\r", b"+BINV: <Inventory is not running>\r\nERROR\r\n"),
        (b"AT+MOD=ISO15\r", b"OK\r\n"),
        (b"AT+INVS=0,0,0\r", b"OK\r\n"),
        (b"ATI\r", told),
    ]
    greeting, _ = converse(dialect.greet(), FAMILY, exchanges)
    assert greeting == Greeting(("2020090817420000", "PULSAR_LR 0100", "PULSAR_LR 0100"))
    inventory = [
        (b"AT+ANT=2\r", b"OK\r\n"),
        (b"AT+INV\r", b"+INV: E002223504422958\r\nOK\r\n"),
    ]
    found, _ = converse(dialect.inventory(2), FAMILY, inventory)
    assert found == heard(("E002223504422958",), is_complete=True)
    converse(dialect.probe(), FAMILY, [(b"ATI\r", told)])
