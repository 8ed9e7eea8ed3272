"""Tells systemd that the controller is up, that it lives, and how the readers do."""

import asyncio
import os
import socket
from collections.abc import Mapping
from contextlib import suppress

from misdeal.app import App
from misdeal.health import is_well

# How often the status line is renewed; a watchdog that wants to hear more often is told more often.
STATUS_S = 5.0


def notify(message: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Send a message to the service manager, such as ``READY=1``.

    A manager that is not there, or does not listen, stops no table.

    Args:
        message: Lines of ``NAME=value``. Source: sd_notify(3).
        environ: Where ``NOTIFY_SOCKET`` names the manager's socket; ``@`` begins an abstract one.

    Returns:
        Whether it was sent.
    """
    address = environ.get("NOTIFY_SOCKET", "")
    if not address:
        return False
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.connect("\0" + address[1:] if address.startswith("@") else address)
        manager.sendall(message.encode())
        return True
    return False


def beat_s(environ: Mapping[str, str] = os.environ) -> float:
    """Return how often the manager is told something, in seconds.

    Half of what its watchdog waits. Source: sd_watchdog_enabled(3).
    """
    watchdog_us = environ.get("WATCHDOG_USEC", "")
    return min(STATUS_S, int(watchdog_us) / 2e6) if watchdog_us.isdecimal() else STATUS_S


async def report_to_systemd(app: App) -> None:
    """Tell the service manager how the controller does, until cancelled; a work of ``attend``."""
    notify("READY=1")
    try:
        while True:
            notify(f"WATCHDOG=1\nSTATUS={_status(app)}")
            await asyncio.sleep(beat_s())
    finally:
        notify("STOPPING=1")


def _status(app: App) -> str:
    readers = app.bridge.health()
    lost = [reader.name for reader in readers if not is_well(reader)]
    heard = f"{len(readers) - len(lost)} of {len(readers)} readers heard"
    return heard + (f", not {', '.join(lost)}" if lost else "")
