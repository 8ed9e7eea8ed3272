"""One module a reader family: frames, commands and answers; pure."""

from typing import Final

from firmware_bridge.families import (
    anyid7e55,
    chafon_rr3036_hf,
    chafon_uhf,
    code_shoe,
    feig,
    front_end,
    metratec_ascii,
    pepper_c1,
    pn532_hsu,
    r200,
    rdm6300,
    thingmagic,
    ti_s6350,
    ti_trf796x_ascii,
    twn4_simple,
    wl134,
)
from firmware_bridge.families.family import Family

FAMILIES: Final[dict[str, Family]] = {
    module.FAMILY.name: module.FAMILY
    for module in (
        pepper_c1,
        metratec_ascii,
        feig,
        anyid7e55,
        pn532_hsu,
        r200,
        chafon_uhf,
        chafon_rr3036_hf,
        thingmagic,
        twn4_simple,
        ti_trf796x_ascii,
        rdm6300,
        front_end,
        code_shoe,
        ti_s6350,
        wl134,
    )
}
"""Every family by its name, the most used first."""
