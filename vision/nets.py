"""The two networks at work: numbers in, numbers out, by OpenCV or by onnxruntime.

Both give the same answers; onnxruntime is taken where it is installed, since it is faster.
"""

from importlib import resources
from importlib.util import find_spec
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

Blob = NDArray[np.float32]

FINDER, READER = "finder.onnx", "reader.onnx"


class Net(Protocol):
    """A network that is ready to run."""

    def run(self, blob: Blob) -> Blob:
        """Return what the network makes of a blob of shape (n, 3, height, width)."""


class OpenCvNet:
    """A network run by OpenCV's own module."""

    def __init__(self, model: bytes) -> None:
        self._net = cv2.dnn.readNetFromONNX(np.frombuffer(model, np.uint8))

    def run(self, blob: Blob) -> Blob:
        """Return what the network makes of a blob."""
        self._net.setInput(blob)
        return np.asarray(self._net.forward(), np.float32)


class OnnxNet:
    """A network run by onnxruntime."""

    def __init__(self, model: bytes, threads: int) -> None:
        import onnxruntime  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"]
        )
        self._input = self._session.get_inputs()[0].name

    def run(self, blob: Blob) -> Blob:
        """Return what the network makes of a blob."""
        return np.asarray(self._session.run(None, {self._input: blob})[0], np.float32)


def has_onnxruntime() -> bool:
    """Return whether onnxruntime is installed."""
    return find_spec("onnxruntime") is not None


def load(name: str, threads: int, *, by_opencv: bool = False) -> Net:
    """Return a network of vision/models.

    Args:
        name: The file's name.
        threads: How many processors it may use.
        by_opencv: Run it by OpenCV even where onnxruntime is installed.
    """
    model = resources.files("vision").joinpath("models", name).read_bytes()
    if has_onnxruntime() and not by_opencv:
        return OnnxNet(model, threads)
    return OpenCvNet(model)
