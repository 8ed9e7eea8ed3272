"""Every error of the simulated hardware, under one root.

FixtureError
 +-- WiringError        readers that cannot be wired as described
 +-- WorldError         a card that is not where it should be
 +-- TooFewSeatsError   a table at which not everything can go wrong
 +-- UnknownReaderError an order for a reader that is not there
 +-- ReadersLostError   the process of the simulated readers is gone or did not answer
 +-- CameraLostError    the process of the simulated camera ended before it had pictures
"""


class FixtureError(Exception):
    """Root of every error that the simulated hardware raises."""


class WiringError(FixtureError, ValueError):
    """A wiring that no table could have."""

    def __init__(self, reader: str, reason: str) -> None:
        super().__init__(f"reader {reader}: {reason}")
        self.reader = reader
        self.reason = reason


class WorldError(FixtureError, ValueError):
    """A card was asked for where it does not lie."""

    def __init__(self, tag: str, place: str | None) -> None:
        super().__init__(f"tag {tag} lies {'nowhere' if place is None else 'at ' + place} already")
        self.tag = tag
        self.place = place


class TooFewSeatsError(FixtureError, ValueError):
    """A table with so few seats that not everything can go wrong at it."""

    def __init__(self, seats: int, needed: int) -> None:
        super().__init__(f"{seats} seats: the demo's dealer needs at least {needed}")
        self.seats = seats
        self.needed = needed


class UnknownReaderError(FixtureError, LookupError):
    """An order for a reader that is not there, or is not plugged in as the order needs it."""

    def __init__(self, name: str, wanted: str) -> None:
        super().__init__(f"no reader {name} is {wanted}")
        self.name = name
        self.wanted = wanted


class ReadersLostError(FixtureError, ConnectionError):
    """The process that hosts the simulated readers is gone, or never spoke."""

    def __init__(self, waited_for: str) -> None:
        super().__init__(f"the simulated readers ended before they reported {waited_for}")
        self.waited_for = waited_for


class CameraLostError(FixtureError, ConnectionError):
    """The process that paints for the simulated camera ended before it had pictures."""

    def __init__(self) -> None:
        super().__init__("the simulated camera ended before it had pictures")
