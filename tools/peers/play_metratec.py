"""Ask a Metratec reader for its cards by the package metratec-rfid: ``play_metratec.py PORT N``.

A question is what a table asks: switch to an antenna, take an inventory.
"""

# ruff: noqa: INP001 - scripts of another environment, no package

import asyncio
import sys
import time

from metratec_rfid import QuasarMX, RfidReaderException
from telling import ANTENNAS, tell

# As patient as pepper-c1 beside it; the package's default for an inventory is 4 s.
TIMEOUT_S = 0.5


async def main() -> None:
    """Ask eight antennas in turn."""
    reader = QuasarMX("peer", serial_port=sys.argv[1])
    await reader.connect()
    await reader.set_mode("156")
    await reader.enable_rf_interface()
    for number in range(int(sys.argv[2])):
        antenna = number % ANTENNAS + 1
        asked_ns = time.monotonic_ns()
        try:
            await reader.set_antenna(antenna)
            tags = [tag.get_id() for tag in await reader.get_inventory(timeout=TIMEOUT_S)]
        except (RfidReaderException, TimeoutError):
            tags = None
        tell(antenna, asked_ns, tags)
    await reader.disconnect()


asyncio.run(main())
