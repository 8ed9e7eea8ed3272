"""Ask a PN532 for its card by the package nfcpy: ``play_nfcpy.py PORT QUESTIONS``.

A question is what ``nfc.ContactlessFrontend.sense`` does for one kind of cards: the field off, and
a look for a card. The frontend itself opens no port by its path.
"""

# ruff: noqa: INP001 - scripts of another environment, no package

import sys
import time

from nfc.clf import RemoteTarget, pn532, transport
from nfc.clf.pn53x import Chipset
from telling import tell


def main() -> None:
    """Ask the one antenna again and again."""
    device = pn532.init(transport.TTY(sys.argv[1]))
    for _ in range(int(sys.argv[2])):
        asked_ns = time.monotonic_ns()
        try:
            device.mute()
            target = device.sense_tta(RemoteTarget("106A"))
            tags = [] if target is None else [target.sdd_res.hex().upper()]
        except (OSError, Chipset.Error):
            tags = None
        tell(1, asked_ns, tags)


main()
