"""Gradients of the loss with a slip in them, as students write them."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return"

import torch
from torch import Tensor


def parts(logits: Tensor, targets: Tensor, smoothing: float) -> tuple[Tensor, Tensor, Tensor]:
    p = torch.softmax(logits, dim=-1)
    wanted = torch.full_like(p, smoothing / logits.shape[1])
    wanted[torch.arange(len(targets)), targets] += 1 - smoothing
    return p, wanted, torch.logsumexp(logits, dim=-1, keepdim=True)


def upside_down(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (wanted - p - 2 * kappa * z * p) / len(p)


def a_sum(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return p - wanted + 2 * kappa * z * p


def over_every_entry(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * z * p) / p.numel()


def no_smoothing(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    p, wanted, z = parts(logits, targets, 0.0)
    return (p - wanted + 2 * kappa * z * p) / len(p)


def others_only(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    n, v = p.shape
    wanted = torch.full_like(p, smoothing / (v - 1))
    wanted[torch.arange(n), targets] = 1 - smoothing
    return (p - wanted + 2 * kappa * z * p) / n


def right_one_short(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    wanted[torch.arange(len(p)), targets] = 1 - smoothing
    return (p - wanted + 2 * kappa * z * p) / len(p)


def no_kappa(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, _ = parts(logits, targets, smoothing)
    return (p - wanted) / len(p)


def no_two(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + kappa * z * p) / len(p)


def no_chain(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * z) / len(p)


def no_z(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, _ = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * p) / len(p)


def over_guesses(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    _, wanted, z = parts(logits, targets, smoothing)
    p = torch.softmax(logits, dim=0)
    return (p - wanted + 2 * kappa * z * p) / len(p)


def z_itself(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * z.exp() * p) / len(p)


def square_kept(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + kappa * z.square() * p) / len(p)


def share_added(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    wanted[torch.arange(len(p)), targets] += smoothing
    return (p - wanted + 2 * kappa * z * p) / len(p)


def by_the_target(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * z * wanted) / len(p)


def taken_away(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted - 2 * kappa * z * p) / len(p)


def kappa_not_averaged(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted) / len(p) + 2 * kappa * z * p


def z_less_the_largest(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * (z - logits.amax(dim=-1, keepdim=True)) * p) / len(p)


def z_less_the_largest_of_all(
    logits: Tensor, targets: Tensor, smoothing: float, kappa: float
) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * (z - logits.max()) * p) / len(p)


def no_chain_and_no_two(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + kappa * z) / len(p)


def rest_of_p(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * z * (1 - p)) / len(p)


def slope_of_softmax(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * z * p * (1 - p)) / len(p)


def powers_for_p(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * z * logits.exp()) / len(p)


def smoothing_as_a_factor(
    logits: Tensor, targets: Tensor, smoothing: float, kappa: float
) -> Tensor:
    p, hot, z = parts(logits, targets, 0.0)
    return ((1 - smoothing) * (p - hot) + 2 * kappa * z * p) / len(p)


def even_share_left_out(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, hot, z = parts(logits, targets, 0.0)
    return (p - (1 - smoothing) * hot + 2 * kappa * z * p) / len(p)


def overflowing(
    logits: Tensor, targets: Tensor, smoothing: float, kappa: float, *, p_too: bool = False
) -> Tensor:
    """Add exponentials without subtracting the maximum, for Z alone or for p as well."""
    p, wanted, _ = parts(logits, targets, smoothing)
    powers = logits.exp()
    sums = powers.sum(dim=-1, keepdim=True)
    if p_too:
        p = powers / sums
    return (p - wanted + 2 * kappa * sums.log() * p) / len(p)


def own_logarithm(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, _ = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * p.log() * p) / len(p)


def smoothed_p(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, hot, z = parts(logits, targets, 0.0)
    return ((1 - smoothing) * p + smoothing / p.shape[1] - hot + 2 * kappa * z * p) / len(p)


def shares_exchanged(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, 1 - smoothing)
    return (p - wanted + 2 * kappa * z * p) / len(p)


def times_p(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p * (p - wanted) + 2 * kappa * z * p) / len(p)


def square_and_two(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * z.square() * p) / len(p)
