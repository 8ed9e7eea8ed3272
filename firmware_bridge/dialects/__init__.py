"""How readers are talked to: one module a family; pure.

A family's frames and answers are in ``firmware_bridge.families``; here is what is asked of a
reader, in which order, and what its answers add up to. ``ti_s6350`` has frames and no dialect: no
answer of it is public.
"""

from typing import Final

from firmware_bridge.dialects.anyid7e55 import AnyId
from firmware_bridge.dialects.chafon_rr3036 import Rr3036
from firmware_bridge.dialects.chafon_uhf import ChafonUhf
from firmware_bridge.dialects.dialect import Dialect
from firmware_bridge.dialects.feig import Feig
from firmware_bridge.dialects.front_end import FrontEnd
from firmware_bridge.dialects.listening import CodeShoe, Rdm6300, Wl134
from firmware_bridge.dialects.metratec import Metratec
from firmware_bridge.dialects.pepper_c1 import PepperC1
from firmware_bridge.dialects.pn532_hsu import Pn532
from firmware_bridge.dialects.r200 import R200
from firmware_bridge.dialects.thingmagic import ThingMagic
from firmware_bridge.dialects.trf796x import Trf796x
from firmware_bridge.dialects.twn4 import Twn4

DIALECTS: Final[dict[str, type[Dialect]]] = {
    dialect.family.name: dialect
    for dialect in (
        PepperC1,
        Metratec,
        Feig,
        AnyId,
        Pn532,
        R200,
        ChafonUhf,
        Rr3036,
        ThingMagic,
        Twn4,
        Trf796x,
        Rdm6300,
        Wl134,
        FrontEnd,
        CodeShoe,
    )
}
"""Every family that can be talked to, by its name, the most used first."""
