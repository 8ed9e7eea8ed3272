"""Ask a Pepper C1 for its cards by the package pepper-c1: ``play_pepper_c1.py PORT QUESTIONS``.

A question is what a table asks: switch to an antenna, count its tags, tell their UIDs.
"""

# ruff: noqa: INP001 - scripts of another environment, no package

import sys
import time

from pepper_c1 import PepperC1, UARTTransport
from pepper_c1.exceptions import CommandError, ProtocolError, TransportError
from telling import ANTENNAS, tell

# As long as Eccel's own C library waits for an answer; the package's default is 2 s.
TIMEOUT_S = 0.5


def main() -> None:
    """Ask eight antennas in turn."""
    with PepperC1(UARTTransport(sys.argv[1]), response_timeout=TIMEOUT_S) as reader:
        reader.get_version()
        for number in range(int(sys.argv[2])):
            antenna = number % ANTENNAS + 1
            asked_ns = time.monotonic_ns()
            try:
                reader.set_active_antenna(antenna)
                count = reader.get_tag_count()
                tags = [reader.get_uid(index)[2:].hex().upper() for index in range(count)]
            except (CommandError, ProtocolError, TransportError, TimeoutError):
                tags = None
            tell(antenna, asked_ns, tags)


main()
