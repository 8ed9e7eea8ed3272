"""The pictures that are kept of marked backs: files in a folder, the oldest of which give way."""

from pathlib import Path

import cv2

from vision.seen import Picture

MOST = 100
"""Pictures that are kept; each is of one card and has some tens of kilobytes."""


class Album:
    """A folder of pictures, bounded in number."""

    def __init__(self, folder: Path, *, ahead_ns: int = 0, most: int = MOST) -> None:
        """Take a folder; it is made with the first picture.

        Args:
            folder: Where the pictures are.
            ahead_ns: What makes a picture's time that of the table.
            most: So many are kept.
        """
        self._folder, self._ahead_ns, self._most = folder, ahead_ns, most

    def keep(self, picture: Picture, at_ns: int) -> str:
        """Keep a picture; return in words where, or why not."""
        file = self._folder / f"{at_ns + self._ahead_ns:020d}.jpg"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            file.write_bytes(cv2.imencode(".jpg", picture)[1].tobytes())
            for old in sorted(self._folder.glob("*.jpg"))[: -self._most]:
                old.unlink(missing_ok=True)
        except OSError as error:
            return f"no picture: {error.strerror}"
        return f"picture {self._folder.name}/{file.name}"
