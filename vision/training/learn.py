"""The training of both networks, and how they are written down for use."""

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as f

from vision.training import network as net
from vision.training import samples

Batch = tuple[Tensor, ...]
Progress = Callable[[int, float, nn.Module], None]
"""Told of each step: its number, the recent loss, the network as it stands."""


def _finder_batches(folder: Path, seed: int, size: int) -> Iterator[Batch]:
    rng = np.random.default_rng(seed)
    views, heats, rests, weights, plans = [], [], [], [], []
    while True:
        for jpegs, truths, grounds in samples.shards(folder, rng):
            for at in rng.permutation(len(jpegs)):
                picture, truth, plan = samples.view(rng, jpegs[at], truths[at], grounds[at])
                heat, rest, weight = samples.targets(truth)
                for values, value in zip(
                    (views, heats, rests, weights, plans),
                    (picture, heat, rest, weight, plan),
                    strict=True,
                ):
                    values.append(value)
                if len(views) == size:
                    yield tuple(
                        torch.from_numpy(np.stack(v)) for v in (views, heats, rests, weights, plans)
                    )
                    views, heats, rests, weights, plans = [], [], [], [], []


def _finder_loss(found: Tensor, batch: Batch) -> Tensor:
    _, heat, rest, weight, plan = batch
    logits = found[:, net.HEAT]
    p = torch.sigmoid(logits)
    asked = (heat >= 0).float()
    positive = (heat > 0.999).float()
    hit = positive * (1 - p) ** 2 * f.logsigmoid(logits)
    miss = (1 - positive) * asked * (1 - heat.clamp(min=0)) ** 4 * p**2 * f.logsigmoid(-logits)
    heat_loss = -(hit.sum() + miss.sum()) / positive.sum().clamp(min=1)
    scale = torch.tensor([2, 2, 2, 1, 0.3, 0.3, 0.5, 0.5]).view(1, 8, 1, 1)
    off = (
        f.smooth_l1_loss(found[:, 1:9], rest, reduction="none", beta=0.2) * scale * weight[:, None]
    )
    rest_loss = off.sum() / weight.sum().clamp(min=1)
    known = plan.long()
    rare = torch.tensor([1.0, 1.0, 3.0])  # backs are a tenth of the cards
    ground = f.cross_entropy(
        found[:, net.GROUND], known, rare, ignore_index=samples.UNKNOWN, reduction="sum"
    )
    asked_of = rare[known.clamp(max=2)] * (known != samples.UNKNOWN)
    ground_loss = ground / asked_of.sum().clamp(min=1)  # photographs have no map of their ground
    return heat_loss + rest_loss + ground_loss


def _reader_batches(folder: Path, seed: int, size: int) -> Iterator[Batch]:
    rng = np.random.default_rng(seed)
    pool: list[samples.Sample] = []
    while True:
        for jpegs, truths, _ in samples.shards(folder, rng):
            for jpeg, truth in zip(jpegs, truths, strict=True):
                pool += samples.crops(rng, cv2.imdecode(jpeg, cv2.IMREAD_COLOR), truth)
            order = rng.permutation(len(pool))
            whole = len(pool) // size * size
            for start in range(0, whole, size):
                yield _reader_batch(rng, [pool[at] for at in order[start : start + size]])
            pool = [pool[at] for at in order[whole:]]


def _reader_batch(rng: np.random.Generator, chosen: list[samples.Sample]) -> Batch:
    pictures = np.stack([each[0] for each in chosen]).astype(np.float32)
    gain = rng.uniform(0.75, 1.25, (len(chosen), 1, 1, 1)) * rng.normal(
        1, 0.03, (len(chosen), 1, 1, 3)
    )
    pictures = np.clip(
        (pictures - 128) * gain + 128 + rng.normal(0, 14, (len(chosen), 1, 1, 1)), 0, 255
    )
    columns = zip(*[each[1:] for each in chosen], strict=True)
    rank, suit, lies, counts = (torch.tensor(column) for column in columns)
    return torch.from_numpy(pictures.astype(np.float32)), rank, suit, lies.float(), counts.float()


def _reader_loss(read: Tensor, batch: Batch) -> Tensor:
    _, rank, suit, lies, counts = batch
    rank_loss = f.cross_entropy(read[:, : net.RANKS], rank, label_smoothing=0.01)
    suit_loss = f.cross_entropy(
        read[:, net.RANKS : net.RANKS + net.SUITS], suit, label_smoothing=0.01
    )
    scale = torch.tensor([4.0, 4.0, 2.0, 2.0])
    off = f.smooth_l1_loss(read[:, -4:], lies, reduction="none", beta=0.05) * scale
    return rank_loss + suit_loss + (off * counts[:, None]).sum() / counts.sum().clamp(min=1)


def _train(
    model: nn.Module,
    batches: Iterator[Batch],
    loss_of: Callable[[Tensor, Batch], Tensor],
    steps: int,
    rate: float,
    progress: Progress,
) -> nn.Module:
    """Train a network; return the average of its last states, which is steadier than the last."""
    model.to(memory_format=torch.channels_last)  # a third faster on a processor
    optimizer = torch.optim.AdamW(model.parameters(), rate, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, steps, pct_start=0.1)
    average = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.998), use_buffers=True
    )
    model.train()
    recent = 0.0
    for step in range(steps):
        batch = next(batches)
        picture = batch[0].permute(0, 3, 1, 2).float()
        loss = loss_of(model(picture), batch)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        schedule.step()
        average.update_parameters(model)
        recent += (float(loss.detach()) - recent) * (0.02 if step > 50 else 0.2)
        progress(step, recent, average.module)
    trained: nn.Module = average.module
    return trained.eval()


def _rate(start: nn.Module | None) -> float:
    """Return how large the steps are at most: small where a network is only to be bettered."""
    return 3e-3 if start is None else 8e-4


def train_finder(
    folder: Path, steps: int, seed: int, progress: Progress, start: nn.Module | None = None
) -> nn.Module:
    """Return a finder trained on stored scenes, from the beginning or from where one stands."""
    torch.manual_seed(seed)
    return _train(
        start or net.Finder(),
        _finder_batches(folder, seed, 24),
        _finder_loss,
        steps,
        3e-3,
        progress,
    )


def train_reader(
    folder: Path, steps: int, seed: int, progress: Progress, start: nn.Module | None = None
) -> nn.Module:
    """Return a reader trained on stored scenes, from the beginning or from where one stands."""
    torch.manual_seed(seed)
    return _train(
        start or net.Reader(),
        _reader_batches(folder, seed, 128),
        _reader_loss,
        steps,
        3e-3,
        progress,
    )


def write(
    model: nn.Module,
    example: tuple[int, int, int, int],
    target: Path,
    varying: dict[str, dict[int, str]],
) -> None:
    """Write a network as ONNX.

    Args:
        model: The trained network.
        example: The shape of an input.
        target: Where to.
        varying: Which sides of the input and output may differ from the example's.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model, torch.zeros(example), target, input_names=["picture"], output_names=["seen"],
            dynamic_axes=varying, opset_version=13, dynamo=False,
        )  # fmt: skip
