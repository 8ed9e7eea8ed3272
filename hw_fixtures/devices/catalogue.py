"""Every reader family that can be simulated, by the name that the bridge has for it."""

import re
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from hw_fixtures.devices.anyid import AnyIdReader
from hw_fixtures.devices.chafon_uhf import ChafonUhfReader
from hw_fixtures.devices.code_shoe import CodeShoe
from hw_fixtures.devices.device import Device, Hear
from hw_fixtures.devices.feig import FeigReader
from hw_fixtures.devices.front_end import FrontEnd, PassingFrontEnd
from hw_fixtures.devices.metratec import MetratecReader
from hw_fixtures.devices.metratec_at import MetratecAtReader
from hw_fixtures.devices.pn532 import Pn532
from hw_fixtures.devices.r200 import R200
from hw_fixtures.devices.rdm6300 import Rdm6300
from hw_fixtures.devices.rr3036 import Rr3036
from hw_fixtures.devices.thingmagic import ThingMagicReader
from hw_fixtures.devices.trf796x import Trf796x
from hw_fixtures.devices.twn4 import Twn4
from hw_fixtures.pepper import PepperReader

PEPPER: Final = "pepper_c1"

MakeDevice = Callable[..., Device]
"""Takes ``name``, ``antennas``, ``baud`` and ``hear``, as ``FramedDevice`` does."""


class DeviceFamily(Struct, frozen=True, kw_only=True):
    """What a simulated reader of a family is made of, and how it comes out of its box."""

    make: MakeDevice
    baud: int = 115200
    bits: int = 10
    """On the wire for each byte; 11 with a parity bit."""
    antennas: int = 1
    """Most that can be wired."""
    identity: str = ".*"
    """What it can call itself, as a regular expression; anything where it tells nothing."""

    def accepts(self, identity: str) -> bool:
        """Say whether a reader of this family can call itself so."""
        return re.fullmatch(self.identity, identity) is not None


def _make_pepper(*, name: str, antennas: int, baud: int, hear: Hear) -> PepperReader:
    """Make a Pepper C1, which has no word for a tag that was heard and not read."""
    reader = PepperReader(name=name, antennas=antennas, hear=lambda number: hear(number).tags)
    reader.baud = reader.offered_baud = baud
    return reader


_TEXT = "[ -~]{1,50}"
_HEX_BYTES = "([0-9A-F]{2}){%d}"

FAMILIES: Final[dict[str, DeviceFamily]] = {
    PEPPER: DeviceFamily(make=_make_pepper, antennas=8, identity=_TEXT),
    "metratec_ascii": DeviceFamily(
        make=MetratecReader, antennas=16, identity="[A-Za-z0-9_ ]{1,15}"
    ),
    "metratec_at": DeviceFamily(make=MetratecAtReader, antennas=16, identity="[0-9A-Za-z]{1,16}"),
    "feig": DeviceFamily(make=FeigReader, baud=38400, bits=11, antennas=8, identity=_HEX_BYTES % 4),
    "anyid7e55": DeviceFamily(make=AnyIdReader, baud=38400, antennas=6, identity=_TEXT),
    "pn532_hsu": DeviceFamily(make=Pn532, identity=_HEX_BYTES % 4),
    "r200": DeviceFamily(make=R200, identity=_TEXT),
    "chafon_uhf": DeviceFamily(
        make=ChafonUhfReader, baud=57600, antennas=4, identity=_HEX_BYTES % 12
    ),
    "chafon_rr3036_hf": DeviceFamily(make=Rr3036, baud=19200),
    "thingmagic": DeviceFamily(make=ThingMagicReader, antennas=4, identity=_HEX_BYTES % 20),
    "twn4_simple": DeviceFamily(make=Twn4, baud=9600, identity=_TEXT),
    "ti_trf796x_ascii": DeviceFamily(make=Trf796x, identity=_TEXT),
    "rdm6300": DeviceFamily(make=Rdm6300, baud=9600),
    "front_end": DeviceFamily(make=FrontEnd, antennas=16, identity=_TEXT),
    "front_end_shoe": DeviceFamily(make=PassingFrontEnd, antennas=16, identity=_TEXT),
    "code_shoe": DeviceFamily(make=CodeShoe, baud=9600),
}
"""``metratec_at`` and ``front_end_shoe`` speak what the bridge knows as ``metratec_ascii`` and
``front_end``."""
