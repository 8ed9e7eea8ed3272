"""R200, M100 and YRM100: a UHF module that polls by itself and tells each tag."""

from firmware_bridge.dialects.dialect import (
    UNHEARD,
    Dialect,
    Dialog,
    Greeting,
    Inventory,
    Overheard,
    Request,
    echo,
    found,
    is_done,
    text,
)
from firmware_bridge.families import r200
from firmware_bridge.families.family import Message


class R200(Dialect):
    """For discard rack and pack check: the module polls without end, each tag is a notice.

    A round without a tag is told, too, by a code that also stands for a tag whose checksum was
    wrong: so the module is known to live, and nothing is known to be gone. A poll ends after
    65535 rounds; the quiet that follows has it started again.

    The radio region is the module's own unless the table file gives one.
    """

    family = r200.FAMILY
    is_listening = True
    # ASSUMED: a round takes far less than this.
    quiet_ms = 2000

    _MOST_ROUNDS = 0xFFFF

    def probe(self) -> Dialog[None]:
        """End a poll that may still go on; its answer is no round's."""
        yield Request(r200.stop(), echo(r200.STOP))

    def greet(self) -> Dialog[Greeting]:
        """Ask who it is and have it poll."""
        told = yield Request(r200.get_information(), echo(r200.INFORMATION))
        if self.options.region is not None:
            yield Request(r200.set_region(self.options.region), echo(r200.REGION))
        yield Request(r200.poll_many(self._MOST_ROUNDS), _is_round)
        return Greeting((text(told.data[1:]),) if is_done(told) else ())

    def overhear(self, message: Message) -> Overheard | None:
        """Take a tag as a read, a round without tags as a sign of life."""
        if not _is_round(message):
            return None
        heard = found(message.uids, is_complete=False) if message.uids else Inventory()
        return Overheard(1, heard if message.code in (None, r200.NO_TAG) else UNHEARD)


def _is_round(message: Message) -> bool:
    """Say whether a message tells what a round of polling gave."""
    return message.echoes == r200.SINGLE or message.name == r200.NAMES[r200.REFUSED]
