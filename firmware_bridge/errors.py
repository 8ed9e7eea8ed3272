"""Every error of the bridge, under one root.

BridgeError
 +-- WiringError    readers that cannot be wired as the table file says
 +-- RegisterError  a pack register that cannot be used, with every fault found
 +-- LinkError      a port that cannot be opened
 +-- LinkLostError  a write to a link that is not there
 +-- LinkBusyError  a link that is run twice
"""

from collections.abc import Sequence

from engine.errors import Fault


class BridgeError(Exception):
    """Root of every error that the bridge raises."""


class WiringError(BridgeError, ValueError):
    """Readers that cannot be wired as the table file says."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = tuple(faults)


class RegisterError(BridgeError, ValueError):
    """A pack register that cannot be used; carries all its faults, not only the first."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = tuple(faults)


class NoOutputsError(BridgeError, ValueError):
    """An output was ordered of a device that is not there or has none."""

    def __init__(self, device: str) -> None:
        super().__init__(f"{device} is no device with outputs")
        self.device = device


class LinkError(BridgeError, OSError):
    """A port that cannot be opened."""

    def __init__(self, port: str, reason: str) -> None:
        super().__init__(f"{port}: {reason}")
        self.port = port
        self.reason = reason


class LinkLostError(BridgeError, ConnectionError):
    """Bytes were written to a link that is not there."""

    def __init__(self, port: str) -> None:
        super().__init__(f"{port} is not open")
        self.port = port


class LinkBusyError(BridgeError, RuntimeError):
    """A link was run a second time while it runs."""

    def __init__(self, port: str) -> None:
        super().__init__(f"{port} is being run already: one link has one reader of its bytes")
        self.port = port
