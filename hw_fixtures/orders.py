"""What is said between the process that hosts the readers and whoever started it: JSON lines."""

from msgspec import Struct

from engine.cards import Place, Tag
from hw_fixtures.faults import Faults
from hw_fixtures.hosted import Written


class Order(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One line to the process: what happens to the cards or to the hardware.

    ``{"put": [TAG], "place": "S3"}``, ``{"take": [TAG]}``, ``{"move": [TAG], "place": "muck"}``,
    ``{"fault": {"bit_error": 0.01, "seed": 7}, "reader": "A"}`` (without ``reader``: all),
    ``{"unplug": "A"}``, ``{"replug": "A"}``, ``{"swap": ["A", "C"]}``, ``{"restart": "A"}``,
    ``{"stamp": [TAG]}`` (report when answers with these tags were written),
    ``{"sync": 7}`` (say so when everything before is done), ``{"quit": true}``.
    """

    put: tuple[Tag, ...] | Tag | None = None
    take: tuple[Tag, ...] | Tag | None = None
    move: tuple[Tag, ...] | Tag | None = None
    place: Place | None = None
    fault: Faults | None = None
    reader: str | None = None
    unplug: str | None = None
    replug: str | None = None
    swap: tuple[str, str] | None = None
    restart: str | None = None
    stamp: tuple[Tag, ...] | None = None
    sync: int | None = None
    quit: bool = False


class Report(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One line from the process."""

    ports: dict[str, str] | None = None
    """Reader to the path of its port; the first line, and again after a port has moved."""
    written: Written | None = None
    synced: int | None = None
    refused: str | None = None
    """Why an order was not carried out."""
