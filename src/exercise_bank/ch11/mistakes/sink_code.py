"""Code of the mistakes in 11.sink."""

import torch
from torch import Tensor

Both = tuple[Tensor, Tensor]


def shares(lse: Tensor, column: Tensor) -> Both:
    both = torch.logaddexp(lse, column)
    return torch.exp(lse - both.masked_fill(both == -torch.inf, 0.0)), both


def left_alone(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    return output.clone(), shares(lse, logit[:, None])[1]


def lse_left_alone(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    return output * shares(lse, logit[:, None])[0][..., None], lse.clone()


def shares_swapped(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    share, both = shares(lse, logit[:, None])
    return output * (1 - share)[..., None], both


def plain_exponentials(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    total = lse.exp() + logit[:, None].exp()
    kept = lse.exp() / total.masked_fill(total == 0, 1.0)
    return output * kept[..., None], total.log()


def exponentials_unguarded(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    total = lse.exp() + logit[:, None].exp()
    return output * (lse.exp() / total)[..., None], total.log()


def log_of_exponentials(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    both = torch.log(lse.exp() + logit[:, None].exp())
    return output * torch.exp(lse - both)[..., None], both


def guarded_log_of_exponentials(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    both = torch.log(lse.exp() + logit[:, None].exp())
    share = torch.exp(lse - both).masked_fill(both == -torch.inf, 0.0)
    return output * share[..., None], both


def share_of_exponentials(
    output: Tensor, lse: Tensor, logit: Tensor, guard: str = "denominator"
) -> Both:
    """Return the right log-sum-exp, and compute the share from plain exponentials."""
    both = torch.logaddexp(lse, logit[:, None])
    total = lse.exp() + logit[:, None].exp()
    share = lse.exp() / total
    if guard == "denominator":
        share = share.masked_fill(total == 0, 0.0)
    if guard == "log-sum-exp":
        share = share.masked_fill(both == -torch.inf, 0.0)
    return output * share[..., None], both


def lse_and_logit(output: Tensor, lse: Tensor, logit: Tensor, guard: bool = True) -> Both:
    """Use lse + logit as the new log-sum-exp, for the output too."""
    both = lse + logit[:, None]
    share = torch.exp(lse - both)
    if guard:
        share = share.masked_fill(both == -torch.inf, 0.0)
    return output * share[..., None], both


def turned_round(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    share, both = shares(lse, logit[:, None])
    return output * torch.where(share > 0, 1 / share, 0.0)[..., None], both


def denominator_of_one(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    return output / (1 + logit[:, None].exp())[..., None], shares(lse, logit[:, None])[1]


def along_the_features(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    share, both = shares(lse, logit[:, None])
    return output * share, both


def zero_for_nothing(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    share, both = shares(lse, logit[:, None])
    return output * share[..., None], both.masked_fill(both == -torch.inf, 0.0)


def outside_the_maximum(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    anchor = lse.masked_fill(lse == -torch.inf, 0.0)
    total = torch.exp(lse - anchor) + torch.exp(logit[:, None] - anchor)
    kept = torch.exp(lse - anchor) / total.masked_fill(total == 0, 1.0)
    return output * kept[..., None], anchor + total.log()


def along_the_queries(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    share, both = shares(lse, logit)
    return output * share[..., None], both


def along_the_batch(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    share, both = shares(lse, logit[:, None, None])
    return output * share[..., None], both


def mean_logit(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    share, both = shares(lse, logit.mean())
    return output * share[..., None], both


def largest_logit(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    share, both = shares(lse, logit.max())
    return output * share[..., None], both


def beside_one(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    share = shares(lse, logit[:, None])[0]
    return output * share[..., None], lse + torch.logaddexp(logit, torch.zeros_like(logit))[:, None]


def larger_or_both(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    share, both = shares(lse, logit[:, None])
    return output * share[..., None], torch.where(lse > logit[:, None], lse, both)


def one_logit(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    share, both = shares(lse, logit[0])
    return output * share[..., None], both


def logits_summed(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    share, both = shares(lse, torch.logsumexp(logit, dim=0))
    return output * share[..., None], both


def logit_is_one(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    share, both = shares(lse, torch.zeros_like(lse))
    return output * share[..., None], both


def added_as_it_is(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    both = torch.log(lse.exp() + logit[:, None])
    return output * torch.exp(lse - both)[..., None], both


def lse_added(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    return output * shares(lse, logit[:, None])[0][..., None], lse + logit[:, None]


def only_the_larger(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    both = torch.maximum(lse, logit[:, None].expand_as(lse))
    share = torch.exp(lse - both.masked_fill(both == -torch.inf, 0.0))
    return output * share[..., None], both


def only_the_larger_or_nan(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    share = torch.sigmoid(lse - logit[:, None])
    return output * share[..., None], torch.maximum(lse, logit[:, None].expand_as(lse))


def only_the_larger_unguarded(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    share = shares(lse, logit[:, None])[0]
    return output * share[..., None], torch.maximum(lse, logit[:, None].expand_as(lse))


def value_of_one(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    share, both = shares(lse, logit[:, None])
    return output * share[..., None] + (1 - share)[..., None], both


def nan_for_nothing(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    both = torch.logaddexp(lse, logit[:, None])
    return output * torch.exp(lse - both)[..., None], both


def empty_stays_empty(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    share, both = shares(lse, logit[:, None])
    return output * share[..., None], torch.where(lse == -torch.inf, lse, both)


def sign_turned(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    share, both = shares(lse, -logit[:, None])
    return output * share[..., None], both


def divided_by_all(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    _, both = shares(lse, logit[:, None])
    return output / both.exp()[..., None], both


def share_subtracted(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    share, both = shares(lse, logit[:, None])
    return output - (1 - share)[..., None], both


def logit_as_value(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    share, both = shares(lse, logit[:, None])
    value = logit.masked_fill(logit == -torch.inf, 0.0)
    return output * share[..., None] + ((1 - share) * value[:, None])[..., None], both


def joins_twice(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    both = shares(lse, logit[:, None])[1]
    twice = torch.logaddexp(both, logit[:, None].expand_as(both))
    return output * torch.exp(lse - twice.masked_fill(twice == -torch.inf, 0.0))[..., None], twice


def softmax_of_logits(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    share = torch.softmax(logit, dim=0)[:, None, None]
    return output * (1 - share), shares(lse, logit[:, None])[1]


def added_to_the_logit(output: Tensor, lse: Tensor, logit: Tensor) -> Both:
    least = logit[:, None]
    share = torch.sigmoid(lse - least)
    return output * share[..., None], least + torch.nn.functional.softplus(lse - least)
