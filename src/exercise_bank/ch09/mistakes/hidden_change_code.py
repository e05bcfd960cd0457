"""Wrong ways to change weights without an effect on the output."""

# mypy: disable-error-code="no-any-return"

import torch
from torch import Tensor


def _held(value: Tensor) -> Tensor:
    return torch.cat([value, torch.ones_like(value[:, :1])], dim=1)


def no_sum(value: Tensor, wish: Tensor) -> Tensor:
    return wish - value @ (torch.linalg.pinv(value) @ wish)


def no_sum_stretched(value: Tensor, wish: Tensor) -> Tensor:
    change = no_sum(value, wish)
    return change * wish.norm() / change.norm().clamp_min(1e-12)


def by_qr_of_values_first(value: Tensor, wish: Tensor) -> Tensor:
    directions, _ = torch.linalg.qr(_held(value).double())
    return (wish - directions @ (directions.mT @ wish.double())).to(wish.dtype)


def by_qr_of_ones_first(value: Tensor, wish: Tensor) -> Tensor:
    held = torch.cat([torch.ones_like(value[:, :1]), value], dim=1).double()
    directions, _ = torch.linalg.qr(held)
    return (wish - directions @ (directions.mT @ wish.double())).to(wish.dtype)


def gram_inverted(value: Tensor, wish: Tensor) -> Tensor:
    held = _held(value).double()
    inverse = torch.linalg.inv(held.mT @ held)
    return (wish - held @ (inverse @ (held.mT @ wish.double()))).to(wish.dtype)


def of_full_rank(value: Tensor, wish: Tensor) -> Tensor:
    held = _held(value).double()
    found = torch.linalg.lstsq(held, wish.double()[:, None], driver="gels").solution[:, 0]
    return (wish - held @ found).to(wish.dtype)


def only_the_sum(value: Tensor, wish: Tensor) -> Tensor:
    return wish - wish.mean()


def seen_part(value: Tensor, wish: Tensor) -> Tensor:
    held = _held(value)
    return held @ (torch.linalg.pinv(held) @ wish)


def seen_by_values(value: Tensor, wish: Tensor) -> Tensor:
    return value @ (torch.linalg.pinv(value) @ wish)


def seen_by_centred_values(value: Tensor, wish: Tensor) -> Tensor:
    return seen_by_values(value - value.mean(dim=0), wish)


def no_inverse(value: Tensor, wish: Tensor) -> Tensor:
    held = _held(value)
    return wish - held @ (held.T @ wish)


def one_after_the_other(value: Tensor, wish: Tensor) -> Tensor:
    without = wish - value @ (torch.linalg.pinv(value) @ wish)
    return without - without.mean()


def sum_first(value: Tensor, wish: Tensor) -> Tensor:
    without = wish - wish.mean()
    return without - value @ (torch.linalg.pinv(value) @ without)


def nothing(value: Tensor, wish: Tensor) -> Tensor:
    return torch.zeros_like(wish)


def of_length_one(value: Tensor, wish: Tensor) -> Tensor:
    held = _held(value)
    change = wish - held @ (torch.linalg.pinv(held) @ wish)
    return change / change.norm().clamp_min(1e-12)


def sign_turned(value: Tensor, wish: Tensor) -> Tensor:
    held = _held(value)
    return held @ (torch.linalg.pinv(held) @ wish) - wish


def to_sum_1(value: Tensor, wish: Tensor) -> Tensor:
    held = _held(value)
    target = torch.zeros(held.shape[1], dtype=held.dtype)
    target[-1] = 1
    return wish - torch.linalg.pinv(held).mT @ (held.mT @ wish - target)


def any_null_vector(value: Tensor, wish: Tensor) -> Tensor:
    _, singular, directions = torch.linalg.svd(_held(value).mT, full_matrices=True)
    free = directions[int((singular > 1e-5 * singular[0]).sum()) :]
    return free.sum(dim=0)


def by_column(value: Tensor, wish: Tensor) -> Tensor:
    for column in _held(value).mT:
        wish = wish - (column @ wish) / (column @ column) * column
    return wish


def by_centred_column(value: Tensor, wish: Tensor) -> Tensor:
    change = wish - wish.mean()
    for column in (value - value.mean(dim=0)).mT:
        size = column @ column
        if size > 1e-10:
            change = change - (column @ change) / size * column
    return change


def by_column_after_the_sum(value: Tensor, wish: Tensor) -> Tensor:
    change = wish - wish.mean()
    for column in value.mT:
        change = change - (column @ change) / (column @ column) * column
    return change


def each_column_by_itself(value: Tensor, wish: Tensor) -> Tensor:
    held = _held(value)
    return wish - held @ ((held.mT @ wish) / held.square().sum(dim=0))


def each_centred_column_by_itself(value: Tensor, wish: Tensor) -> Tensor:
    centred = value - value.mean(dim=0)
    shares = (centred.mT @ wish) / centred.square().sum(dim=0).clamp_min(1e-10)
    return wish - wish.mean() - centred @ shares


def softmaxed(value: Tensor, wish: Tensor) -> Tensor:
    return torch.softmax(wish, dim=-1) - 1 / len(wish)


def wish_itself(value: Tensor, wish: Tensor) -> Tensor:
    return wish.clone()


def of_centred_values(value: Tensor, wish: Tensor) -> Tensor:
    centred = value - value.mean(dim=0)
    return wish - centred @ (torch.linalg.pinv(centred) @ wish)


def mean_feature(value: Tensor, wish: Tensor) -> Tensor:
    held = _held(value.mean(dim=1, keepdim=True))
    return wish - held @ (torch.linalg.pinv(held) @ wish)


def no_negatives(value: Tensor, wish: Tensor) -> Tensor:
    held = _held(value)
    return (wish - held @ (torch.linalg.pinv(held) @ wish)).clamp_min(0)


def half_the_way(value: Tensor, wish: Tensor) -> Tensor:
    held = _held(value)
    return (wish - held @ (torch.linalg.pinv(held) @ wish)) / 2


def one_direction(
    value: Tensor, wish: Tensor, which: int = -1, *, ones_first: bool = False, left: bool = False
) -> Tensor:
    """Keep the wish along the first or last direction that does not affect the output."""
    columns = [torch.ones_like(value[:, :1]), value] if ones_first else [_held(value)]
    held = torch.cat(columns, dim=1).double()
    across, singular, directions = torch.linalg.svd(held if left else held.mT, full_matrices=True)
    free = (across.mT if left else directions)[int((singular > 1e-5 * singular[0]).sum()) :]
    if not len(free):
        return torch.zeros_like(wish)
    return ((wish.double() @ free[which]) * free[which]).to(wish.dtype)


def nothing_without_spare_keys(value: Tensor, wish: Tensor, spare: int = 1) -> Tensor:
    if len(value) <= value.shape[1] + spare:
        return torch.zeros_like(wish)
    held = _held(value)
    return wish - held @ (torch.linalg.pinv(held) @ wish)
