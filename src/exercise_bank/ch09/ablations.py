"""Ways to silence one head: some sound, some not. Each takes (b, h, q, e) and a head's number."""

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from exercise_bank.arguments import numbers, whole
from exercise_bank.closing import closed

Ablation = Callable[[Tensor, int], Tensor]
_INSIDE: WeakKeyDictionary[Ablation, Ablation] = WeakKeyDictionary()


def shut(way: Ablation) -> Ablation:
    """Close a way to silence a head; its writes into the given outputs are kept."""
    ablate: Ablation = closed(way, _taken, name="ablate")
    _INSIDE[ablate] = way
    return ablate


def told(ablate: Ablation) -> str:
    """Describe a closed way in words."""
    return TOLD[_INSIDE[ablate]]


def _taken(outputs: Any, head: Any) -> tuple[Tensor, int]:
    """Take outputs (b, h, q, e) that can be written into, and the number of a head."""
    given = numbers("outputs", outputs, 4, wild=True)
    spread = any(step == 0 and n > 1 for step, n in zip(given.stride(), given.shape, strict=True))
    if given is not outputs or spread:
        raise TypeError(f"outputs is a tensor of {outputs.dtype}: expected float numbers, a clone")
    if not given.numel() or given.shape[1] < 2:
        raise ValueError(
            f"outputs is {tuple(given.shape)}: expected (b, h, q, e), two heads or more"
        )
    return given, whole("head", head, 0, given.shape[1] - 1)


def first(outputs: Tensor, head: int) -> Tensor:
    out = outputs.clone()
    out[:, head] = 0
    return out


def second(outputs: Tensor, head: int) -> Tensor:
    out = outputs.clone()
    out[:, head] = outputs[:, head].mean(dim=(0, 1))
    return out


def third(outputs: Tensor, head: int) -> Tensor:
    out = outputs.clone()
    out[:, head] = outputs[0, head, 0]
    return out


def fourth(outputs: Tensor, head: int) -> Tensor:
    out = outputs.clone()
    out[:, head] = outputs[:, head].mean(dim=1, keepdim=True)
    return out


def fifth(outputs: Tensor, head: int) -> Tensor:
    out = outputs.clone()
    out[:, head] = outputs[:, head].mean(dim=0, keepdim=True)
    return out


def sixth(outputs: Tensor, head: int) -> Tensor:
    out = outputs.clone()
    out[:, (head + 1) % outputs.shape[1]] = 0
    return out


def seventh(outputs: Tensor, head: int) -> Tensor:
    return torch.zeros_like(outputs)


def eighth(outputs: Tensor, head: int) -> Tensor:
    out = outputs.clone() * outputs.shape[1] / (outputs.shape[1] - 1)
    out[:, head] = 0
    return out


def ninth(outputs: Tensor, head: int) -> Tensor:
    outputs[:, head] = 0
    return outputs


def tenth(outputs: Tensor, head: int) -> Tensor:
    out = outputs.clone()
    out[0, head] = 0
    return out


def eleventh(outputs: Tensor, head: int) -> Tensor:
    out = outputs.clone()
    out[:, head] *= 0.01
    return out


def twelfth(outputs: Tensor, head: int) -> Tensor:
    out = outputs.clone()
    out[:, head, :-1] = 0
    return out


def thirteenth(outputs: Tensor, head: int) -> Tensor:
    out = outputs.clone()
    out[:, head, :, 0] = 0
    return out


def fourteenth(outputs: Tensor, head: int) -> Tensor:
    return outputs.clone()


def fifteenth(outputs: Tensor, head: int) -> Tensor:
    out = outputs.clone()
    out[:, [head, (head + 1) % outputs.shape[1]]] = 0
    return out


def sixteenth(outputs: Tensor, head: int) -> Tensor:
    out = outputs.clone()
    other = (head + 1) % outputs.shape[1]
    out[:, head], out[:, other] = outputs[:, other], outputs[:, head]
    return out


def seventeenth(outputs: Tensor, head: int) -> Tensor:
    out = outputs.clone()
    out[:, head] = torch.lerp(outputs[:, head].mean(dim=(0, 1)), outputs[:, head], 0.02)
    return out


def eighteenth(outputs: Tensor, head: int) -> Tensor:
    out = outputs.clone()
    out[:, head] = 0
    outputs[:, head] *= 2
    return out


def nineteenth(outputs: Tensor, head: int) -> Tensor:
    out = outputs.clone()
    out[:, head] = outputs[:, head].flip(1)
    return out


def twentieth(outputs: Tensor, head: int) -> Tensor:
    out = outputs.clone()
    out[:, head] = 1
    return out


def twenty_first(outputs: Tensor, head: int) -> Tensor:
    out = outputs.clone()
    out[:, head] = outputs[:, head].mean(dim=-1, keepdim=True)
    return out


def twenty_second(outputs: Tensor, head: int) -> Tensor:
    out = outputs * 1.0001
    out[:, head] = 0
    return out


def twenty_third(outputs: Tensor, head: int) -> Tensor:
    out, h = outputs.clone(), outputs.shape[1]
    out[:, head] = 0
    one, two = (head + 1) % h, (head + 2) % h
    out[:, one], out[:, two] = outputs[:, two], outputs[:, one]
    return out


def twenty_fourth(outputs: Tensor, head: int) -> Tensor:
    out = outputs.clone()
    flat = outputs[:, head].flatten(0, 1)
    means = [flat.roll(i, 0).cumsum(dim=0)[-1] / len(flat) for i in range(len(flat))]
    out[:, head] = torch.stack(means).view_as(out[:, head])
    return out


def twenty_fifth(outputs: Tensor, head: int) -> Tensor:
    out = outputs * 1.000005
    out[:, head] = 0
    return out


# Shown only after an answer.
TOLD: dict[Ablation, str] = {
    first: "it sets the head to zero and leaves the others alone",
    second: "it puts the mean over batch and positions in the head's place",
    third: "it gives every position the same vector",
    fourth: "each sequence keeps its own mean, so sequences still differ",
    fifth: "each position keeps its own mean, so positions still differ",
    sixth: "it silences another head",
    seventh: "it silences all heads",
    eighth: "it makes the other heads larger",
    ninth: "it changes the outputs that it was given",
    tenth: "it silences the head in the first sequence only",
    eleventh: "it makes the head's output small, and all its information is still there",
    twelfth: "it does not change the last position",
    thirteenth: "it takes one feature of the head and leaves the others",
    fourteenth: "it changes nothing",
    fifteenth: "it silences one more head",
    sixteenth: "it exchanges two heads",
    seventeenth: "it leaves 2% of the head's output",
    eighteenth: "it returns the right tensor, but writes into the outputs that it was given",
    nineteenth: "it reverses the head's positions, and all its information is still there",
    twentieth: "it puts the same number everywhere in the head's place",
    twenty_first: "each position keeps the mean of its features, so positions still differ",
    twenty_second: "it makes the other heads larger, by a ten thousandth",
    twenty_fourth: "it puts the mean in the head's place, added up anew for each position, so "
    "that only the last digits differ",
    twenty_fifth: "it makes the other heads larger, by a few millionths",
    twenty_third: "it silences the head and exchanges two others",
}
