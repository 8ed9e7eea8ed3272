"""Whether a tag is from its maker: NXP's originality signatures.

NXP signs the UID of a chip when it makes it, without a hash. A signature that fits proves a chip of
theirs with this UID; it stops foreign and blank tags, and not a cloner who copies a UID and its
signature onto a tag that lets both be written.

Source: rfid/protocols 2.10. The keys are the only ones that fit all public samples of their chip in
rfid/vectors, from which they were recovered; they equal those in RfidResearchGroup/proxmark3,
client/src/crypto/originality.c.
"""

from typing import Final, Literal

from ecdsa import BadSignatureError, VerifyingKey  # type: ignore[import-untyped]
from ecdsa.curves import NIST224p, SECP128r1  # type: ignore[import-untyped]

from engine.cards import Tag

Verdict = Literal["genuine", "forged", "unknown"]
"""``unknown``: no key is known for this kind of chip, or it has no signature."""

ICODE, NTAG21X, NTAG424 = "icode", "ntag21x", "ntag424"

_KEYS: Final = {
    ICODE: VerifyingKey.from_string(
        bytes.fromhex("8878A2A2D3EEC336B4F261A082BD71F9BE11C4E2E896648B32EFA59CEA6E59F0"),
        curve=SECP128r1,
    ),
    NTAG21X: VerifyingKey.from_string(
        bytes.fromhex("494E1A386D3D3CFE3DC10E5DE68A499B1C202DB5B132393E89ED19FE5BE8BC61"),
        curve=SECP128r1,
    ),
    NTAG424: VerifyingKey.from_string(
        bytes.fromhex(
            "8A9B380AF2EE1B98DC417FECC263F8449C7625CECE82D9B916C992DA"
            "209D68422B81EC20B65A66B5102A61596AF3379200599316A00A1410"
        ),
        curve=NIST224p,
    ),
}

# NXP's UIDs: ISO 15693 with maker 04 and type 01; ISO 14443-A of double size with maker 04.
_ICODE_HEAD = bytes.fromhex("E00401")
_NTAG_HEAD = b"\x04"
# Bit 35, counted from 0: ICODE SLIX2 and DNA, which sign; SLI and SLIX do not.
_SIGNS = 0x08


def has_signature(tag: Tag) -> bool:
    """Say whether a tag is of a kind that can be asked for its maker's signature."""
    uid = bytes.fromhex(tag)
    if len(uid) == 8:
        return uid.startswith(_ICODE_HEAD) and bool(uid[3] & _SIGNS)
    return len(uid) == 7 and uid.startswith(_NTAG_HEAD)


def check_signature(tag: Tag, signature: bytes) -> Verdict:
    """Judge the signature that a tag gave: r then s.

    Args:
        tag: The canonical UID, most significant byte first.
        signature: 32 bytes from an ICODE or NTAG21x, 56 from an NTAG 424.
    """
    if not has_signature(tag):
        return "unknown"
    uid = bytes.fromhex(tag)
    if len(uid) == 8:
        # An ICODE's signature is over the UID as the air carries it, last byte first.
        return _verdict(ICODE, uid[::-1], signature)
    return _verdict(NTAG424 if len(signature) == 56 else NTAG21X, uid, signature)


def _verdict(kind: str, signed: bytes, signature: bytes) -> Verdict:
    try:
        _KEYS[kind].verify_digest(signature, signed, allow_truncate=True)
    except BadSignatureError:
        return "forged"
    return "genuine"
