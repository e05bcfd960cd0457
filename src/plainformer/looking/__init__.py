"""Look inside a model: attention patterns, the effect of heads, the influence of input tokens."""

from plainformer.looking.ablation import ablated
from plainformer.looking.attribution import logit_attribution
from plainformer.looking.gradients import gradient_times_input, integrated_gradients
from plainformer.looking.patterns import (
    distance,
    entropy,
    first_token,
    induction,
    marked,
    previous_token,
)
from plainformer.looking.recording import Recorded, recorded
from plainformer.looking.rollout import rollout
from plainformer.looking.twins import other_weights

__all__ = [
    "Recorded",
    "ablated",
    "distance",
    "entropy",
    "first_token",
    "gradient_times_input",
    "induction",
    "integrated_gradients",
    "logit_attribution",
    "marked",
    "other_weights",
    "previous_token",
    "recorded",
    "rollout",
]
