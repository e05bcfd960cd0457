"""Exercise 15.yarn_ramp: the interpolated planes, their shares, and the scores' multiplier."""

import math
from typing import Any

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from exercise_bank.ch15.mistakes.yarn_ramp import MISCONCEPTIONS
from exercise_bank.draws import more, some
from exercise_bank.parts import parts
from exercise_bank.skills import rung
from plaincourse.checking.compare import as_tensor, is_array
from plaincourse.checking.drawing import Fresh
from plaincourse.checking.in_words import difference
from plaincourse.exercise import Alternative, Exercise, Inputs, Law
from plaincourse.exercise.precision import FINE


def drawn(wavelengths: list[float], trained: int, factor: float, *betas: float) -> Inputs:
    given: Inputs = {
        "wavelengths": torch.tensor(wavelengths, dtype=torch.float64),
        "trained": trained,
        "factor": factor,
    }
    return {**given, **dict(zip(("beta_fast", "beta_slow"), betas, strict=False))}


def some_planes(g: Generator, n: int, low: float, high: float) -> list[float]:
    """Draw wavelengths between two bounds, evenly by their logarithm."""
    share = torch.rand(n, generator=g, dtype=torch.float64)
    return (low * (high / low) ** share).sort().values.tolist()


def mixed(g: Generator, planes: list[float]) -> list[float]:
    """Return the planes; in hidden inputs repeat some of them and shuffle."""
    if isinstance(g, Fresh):
        planes = planes + planes[: more(g)]
        planes = [planes[i] for i in torch.randperm(len(planes), generator=g).tolist()]
    return planes


def ends(g: Generator) -> list[Inputs]:
    n = some(g, 300, 500)
    return [
        drawn(mixed(g, [6.4, 1000.0]), 320, 4.0),
        drawn(mixed(g, [2000.0, 6.5, 700.0, 7.5]), n, 2.0),
        drawn(mixed(g, [7.0, n / 33, n * 1.5, n * 40.0]), n, 8.0),
    ]


def between(g: Generator) -> list[Inputs]:
    n = some(g, 300, 500)
    return [
        drawn([80.0, 20.0], 320, 4.0),
        drawn([6.4, 80.0, 1000.0], 320, 4.0),
        drawn(some_planes(g, 5, n / 30, n / 1.2), n, 3.0),
        drawn([6.3, *some_planes(g, 3, n / 28, n / 5), 5.0 * n], n, 2.0),
    ]


def blended(g: Generator) -> list[Inputs]:
    n = some(g, 300, 500)
    return [
        drawn([80.0], 320, 4.0),
        drawn([6.4, 1000.0], 320, 4.0),
        drawn([6.4, 80.0, 1000.0], 320, 4.0),
        drawn(some_planes(g, 6, 6.3, 4.0 * n), n, 1.0 * some(g, 2, 9)),
        drawn(some_planes(g, 4, n / 7.5, n / 2.1), n, 2.5, 8.0, 2.0),
    ]


def sharpened(g: Generator) -> list[Inputs]:
    factors = [4.0, 1.0 * some(g, 6, 9), 32.0, 1.5]
    factors = [factor + more(g) for factor in factors]
    return [drawn([6.4, 80.0, 1000.0], 320, factor) for factor in factors]


def whole(g: Generator) -> list[Inputs]:
    """Draw both ends of the ramp, a factor of 1, planes of one kind, and other betas."""
    n = some(g, 300, 500)
    return [
        drawn([10.0], 320, 2.0),
        drawn([320.0], 320, 2.0),
        drawn(some_planes(g, 3, 6.3, 4.0 * n), n, 1.0),
        drawn([6.3, 6.9, 8.1], 5000, 16.0),
        drawn([500.0, 700.0], 400, 16.0),
        drawn([6.4, 80.0, 1000.0], 320, 4.0),
        drawn(some_planes(g, 4, n / 7.5, n / 2.1), n, 4.0, 8.0, 2.0),
        drawn([6.3, *some_planes(g, 3, n / 60, n / 5), 5.0 * n], n, 2.0, 64.0, 4.0),
    ]


def yarn_ramp(
    wavelengths: Float[Tensor, " planes"],
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> tuple[Float[Tensor, " planes"], Float[Tensor, " planes"], float]:
    """Return the shares interpolated, the blended frequencies, and the scores' multiplier."""
    turns = trained / wavelengths
    share = ((beta_fast - turns) / (beta_fast - beta_slow)).clamp(0, 1)
    frequencies = 2 * math.pi / wavelengths
    blended = (1 - share) * frequencies + share * frequencies / factor
    return share, blended, (0.1 * math.log(factor) + 1) ** 2


def plane_by_plane(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> tuple[Tensor, Tensor, float]:
    shares, found = [], []
    for wavelength in wavelengths.tolist():
        turns = trained / wavelength
        if turns > beta_fast:
            kept = 1.0
        elif turns < beta_slow:
            kept = 0.0
        else:
            kept = (turns - beta_slow) / (beta_fast - beta_slow)
        shares.append(1 - kept)
        frequency = 2 * math.pi / wavelength
        found.append(kept * frequency + (1 - kept) * frequency / factor)
    by = 1 + math.log(factor) / 10
    return torch.tensor(shares), torch.tensor(found), by * by


def by_lerp(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> tuple[Tensor, Tensor, float]:
    frequencies = 2 * torch.pi / wavelengths
    turns = trained * frequencies / (2 * torch.pi)
    kept = torch.clamp((turns - beta_slow) / (beta_fast - beta_slow), min=0.0, max=1.0)
    found = torch.lerp(frequencies / factor, frequencies, kept)
    m = 0.1 * torch.log(torch.tensor(factor, dtype=torch.float64)) + 1
    return 1 - kept, found, float(m**2)


def by_divisors(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> tuple[Tensor, Tensor, float]:
    share = (beta_fast * wavelengths - trained) / ((beta_fast - beta_slow) * wavelengths)
    share = torch.where(share > 1, 1.0, torch.where(share < 0, 0.0, share))
    found = 2 * math.pi * (1 + share * (1 / factor - 1)) / wavelengths
    return share, found, 1 + 0.2 * math.log(factor) + 0.01 * math.log(factor) ** 2


def right(inputs: Inputs) -> tuple[Any, ...]:
    return yarn_ramp(**inputs)


def plain(law: Law) -> Law:
    """Let the last number be a tensor of one number as well."""

    def read(inputs: Inputs, answer: Any) -> str | None:
        if isinstance(answer, (tuple, list)) and len(answer) == 3:
            last = answer[2]
            if isinstance(last, Tensor) and last.numel() == 1:
                answer = (*answer[:2], last.item())
        return law(inputs, answer)

    return read


#: Least difference between the shares of a fast and a slow plane for a share to be informative.
LEAST_APART = 0.01
NAMES = ("share", "frequencies", "multiplier")
SHARE, FREQUENCIES, MULTIPLIER = (plain(parts(right, NAMES, i)) for i in range(3))


def line(inputs: Inputs, answer: Any) -> str | None:
    """Accept shares of turns within trained − 1 positions, and 1 minus the share."""
    said = SHARE(inputs, answer)
    if said is None or SHARE({**inputs, "trained": inputs["trained"] - 1}, answer) is None:
        return None
    if FREQUENCIES(inputs, answer) is None and is_array(answer[0]):
        return SHARE(inputs, (1 - answer[0], *answer[1:])) and said
    return said


def unblended(inputs: Inputs, own: Tensor) -> str | None:
    """Report a share that is equal for a fast and a slow plane, so that no blend can show."""
    share = right(inputs)[0]
    if not ((share == 0).any() and (share == 1).any()):
        return None
    fast, slow = own[share == 0][0].item(), own[share == 1][0].item()
    if not math.isclose(fast, slow, rel_tol=0, abs_tol=LEAST_APART):
        return None
    planes = (inputs["wavelengths"][share == end][0].item() for end in (0, 1))
    lengths = " and of ".join(f"{each:.4g}" for each in planes)
    return (
        f"your share is {fast:.4g} for a fast plane and {slow:.4g} for a slow one (wavelengths of "
        f"{lengths}); while the two do not differ, nothing is blended"
    )


def blend(inputs: Inputs, answer: Any) -> str | None:
    """Accept the blend that follows from the answer's own share."""
    said = FREQUENCIES(inputs, answer)
    three = isinstance(answer, (tuple, list)) and len(answer) == 3
    if said is None or not three or not is_array(answer[0]):
        return said
    own, old = as_tensor(answer[0]).double(), 2 * math.pi / inputs["wavelengths"]
    if own.shape != old.shape:
        return said
    if why := unblended(inputs, own):
        return why
    follow = (1 - own) * old + own * old / inputs["factor"]
    return difference(follow, answer[1], FINE, dtype="kind") and said


def squared(inputs: Inputs, answer: Any) -> str | None:
    """Accept the logarithm to base 2 or 10 too."""
    factors = [inputs["factor"] ** (1 / math.log(base)) for base in (math.e, 2, 10)]
    first, *others = (MULTIPLIER({**inputs, "factor": each}, answer) for each in factors)
    return None if None in others else first


TASK = Exercise(
    id="15.yarn_ramp",
    title="Interpolated by parts",
    level="medium",
    minutes=10,
    concepts=("yarn-by-parts", "yarn-temperature"),
    reference=yarn_ramp,
    rungs=(
        rung("planes that are fast, and planes that are slow", 0.5, ends, line,
             idea="the share: a line in the turns"),
        rung("the ramp between them", 1.5, between, line, idea="the share: a line in the turns"),
        rung("the frequencies, blended by your share", 1.5, blended, blend,
             idea="a blend of frequencies"),
        rung("the multiplier of the scores, by a logarithm of any base", 1.5, sharpened, squared,
             idea="a score has a query and a key"),
        rung("all three, at both ends of the ramp, for a factor of 1, for other betas", 1.0,
             whole, plain(parts(right, NAMES))),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="plane by plane", answer=plane_by_plane),
        Alternative(name="with lerp, from frequencies", answer=by_lerp),
        Alternative(name="without turns", answer=by_divisors),
    ),
    hints=(
        "How often does a plane turn while it goes through a text of training? What share should "
        "a plane have that turns 40 times, and one that turns half a time?",
        "Write the line that is 0 at `beta_fast` turns and 1 at `beta_slow`. What holds outside?",
        "A blend of a and b is (1 − share) · a + share · b, with the old frequency as a and the "
        "old one divided by the factor as b. A score has a query and a key in it.",
    ),
)  # fmt: skip
