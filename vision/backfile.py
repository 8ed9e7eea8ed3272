"""The file of an enrolled back: bytes in and out.

It is a zip archive of NumPy arrays (``.npz``). The array ``about`` holds JSON with the format's
version and every number; ``reference``, ``mean0``... and ``spread0``... are the pictures. Nothing
in it is code, and none is run on reading it.
"""

import io
import zipfile

import msgspec
import numpy as np
from msgspec import Struct

from vision.bands import BANDS
from vision.enrolled import BackModel, FalseAlarms, Usual
from vision.errors import BackFileError
from vision.likeness import Array, Frame

FORMAT = 1
SUFFIX = ".back.npz"


class _About(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is not an array."""

    format: int
    frame: Frame
    places: list[float]
    widths: list[float]
    threshold: float
    least_likeness: float
    false_alarms: FalseAlarms


def write_back(model: BackModel) -> bytes:
    """Return the file of an enrolled back."""
    about = _About(
        format=FORMAT,
        frame=model.frame,
        places=[each.place for each in model.usual],
        widths=[each.width for each in model.usual],
        threshold=model.threshold,
        least_likeness=model.least_likeness,
        false_alarms=model.false_alarms,
    )
    arrays = {"reference": model.reference}
    for number, each in enumerate(model.usual):
        arrays |= {f"mean{number}": each.mean, f"spread{number}": each.spread}
    # Half precision is finer than the grey level that a camera tells.
    halves = {name: array.astype(np.float16) for name, array in arrays.items()}
    text = np.frombuffer(msgspec.json.encode(about), np.uint8)
    out = io.BytesIO()
    np.savez_compressed(out, about=text, **halves)  # type: ignore[arg-type]
    return out.getvalue()


def read_back(data: bytes, file: str) -> BackModel:
    """Read the file of an enrolled back.

    Raises:
        BackFileError: If it is none, is damaged, or of another version.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        about = msgspec.json.decode(arrays.pop("about").tobytes(), type=_About)
    except (ValueError, OSError, KeyError, AttributeError, EOFError, zipfile.BadZipFile,
            msgspec.MsgspecError) as error:  # fmt: skip
        raise BackFileError(file, "it is damaged or another kind of file") from error
    if about.format != FORMAT:
        raise BackFileError(file, f"found format {about.format}, expected {FORMAT}")
    _check(arrays, about, file)
    full = {name: array.astype(np.float32) for name, array in arrays.items()}
    usual = tuple(
        Usual(full[f"mean{number}"], full[f"spread{number}"], place, width)
        for number, (place, width) in enumerate(zip(about.places, about.widths, strict=True))
    )
    return BackModel(
        frame=about.frame,
        reference=full["reference"],
        usual=usual,
        threshold=about.threshold,
        least_likeness=about.least_likeness,
        false_alarms=about.false_alarms,
    )


def _check(arrays: dict[str, Array], about: _About, file: str) -> None:
    """Refuse arrays that do not belong together."""
    width, height = about.frame.size_px
    if len(about.places) != BANDS or len(about.widths) != BANDS:
        raise BackFileError(file, f"found {len(about.places)} bands, expected {BANDS}")
    due = {"reference": (height, width, 3)}
    for number in range(BANDS):
        scale = 2 if number == BANDS - 1 else 2**number
        shape = (-(-height // scale), -(-width // scale), 12 if number == BANDS - 1 else 3)
        due |= {f"mean{number}": shape, f"spread{number}": shape}
    for name, shape in due.items():
        found = arrays[name].shape if name in arrays else "nothing"
        if found != shape:
            raise BackFileError(file, f"{name}: found {found}, expected {shape}")
        if not np.isfinite(arrays[name]).all():
            raise BackFileError(file, f"{name}: found what is no number")
