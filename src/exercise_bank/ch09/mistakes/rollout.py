"""How 09.rollout goes wrong."""

# mypy: disable-error-code="no-any-return"

import torch
from torch import Tensor

from exercise_bank.skills import said
from plaincourse.exercise import Misconception


def _steps(weights: Tensor, residual: float) -> Tensor:
    same = torch.eye(weights.shape[-1], dtype=weights.dtype)
    return (1 - residual) * weights.mean(dim=1) + residual * same


def first_from_the_left(weights: Tensor, residual: float = 0.5) -> Tensor:
    reached = torch.eye(weights.shape[-1], dtype=weights.dtype)
    for step in _steps(weights, residual):
        reached = reached @ step
    return reached


def no_residual(weights: Tensor, residual: float = 0.5) -> Tensor:
    reached = torch.eye(weights.shape[-1], dtype=weights.dtype)
    for layer in weights.mean(dim=1):
        reached = layer @ reached
    return reached


def added_not_mixed(weights: Tensor, residual: float = 0.5) -> Tensor:
    same = torch.eye(weights.shape[-1], dtype=weights.dtype)
    reached = same
    for layer in weights.mean(dim=1):
        reached = (layer + same) @ reached
    return reached


def added_and_divided(weights: Tensor, residual: float = 0.5) -> Tensor:
    same = torch.eye(weights.shape[-1], dtype=weights.dtype)
    reached = same
    for layer in weights.mean(dim=1):
        step = layer + residual * same
        reached = (step / step.sum(dim=-1, keepdim=True)) @ reached
    return reached


def share_added(weights: Tensor, residual: float = 0.5) -> Tensor:
    same = torch.eye(weights.shape[-1], dtype=weights.dtype)
    reached = same
    for layer in weights.mean(dim=1):
        reached = (layer + residual * same) @ reached
    return reached


def smallest_head(weights: Tensor, residual: float = 0.5) -> Tensor:
    return first_order(weights.amin(dim=1, keepdim=True), residual)


def heads_multiplied(weights: Tensor, residual: float = 0.5) -> Tensor:
    return first_order(weights.prod(dim=1, keepdim=True), residual)


def heads_summed(weights: Tensor, residual: float = 0.5) -> Tensor:
    return first_order(weights.sum(dim=1, keepdim=True), residual)


def largest_head(weights: Tensor, residual: float = 0.5) -> Tensor:
    return first_order(weights.amax(dim=1, keepdim=True), residual)


def largest_head_scaled(weights: Tensor, residual: float = 0.5) -> Tensor:
    largest = weights.amax(dim=1, keepdim=True)
    return first_order(largest / largest.sum(dim=-1, keepdim=True), residual)


def shares_swapped(weights: Tensor, residual: float = 0.5) -> Tensor:
    return first_order(weights, 1 - residual)


def always_half(weights: Tensor, residual: float = 0.5) -> Tensor:
    return first_order(weights, 0.5)


def first_order(weights: Tensor, residual: float) -> Tensor:
    reached = torch.eye(weights.shape[-1], dtype=weights.dtype)
    for step in _steps(weights, residual):
        reached = step @ reached
    return reached


def mean_of_layers(weights: Tensor, residual: float = 0.5) -> Tensor:
    return _steps(weights, residual).mean(dim=0)


def each_head_alone(weights: Tensor, residual: float = 0.5) -> Tensor:
    reached = [first_order(weights[:, [h]], residual) for h in range(weights.shape[1])]
    return torch.stack(reached).mean(dim=0)


def mixed_at_the_end(weights: Tensor, residual: float = 0.5) -> Tensor:
    same = torch.eye(weights.shape[-1], dtype=weights.dtype)
    return (1 - residual) * first_order(weights, 0.0) + residual * same


def entry_by_entry(weights: Tensor, residual: float = 0.5) -> Tensor:
    return _steps(weights, residual).prod(dim=0)


def upright(weights: Tensor, residual: float = 0.5) -> Tensor:
    return first_order(weights, residual).mT


def last_layer_only(weights: Tensor, residual: float = 0.5) -> Tensor:
    return _steps(weights, residual)[-1]


def input_left_out(weights: Tensor, residual: float = 0.5) -> Tensor:
    layer = weights.mean(dim=1)
    reached = layer[0]
    for step in _steps(weights, residual)[1:]:
        reached = step @ reached
    return reached


def later_unmixed(weights: Tensor, residual: float = 0.5) -> Tensor:
    reached = _steps(weights, residual)[0]
    for layer in weights.mean(dim=1)[1:]:
        reached = layer @ reached
    return reached


def mean_to_a_power(weights: Tensor, residual: float = 0.5) -> Tensor:
    return torch.linalg.matrix_power(mean_of_layers(weights, residual), len(weights))


def first_head(weights: Tensor, residual: float = 0.5) -> Tensor:
    return first_order(weights[:, :1], residual)


MISCONCEPTIONS = (
    said(
        "added-and-divided",
        added_and_divided,
        "Adding the identity and dividing by the sum mixes the two.",
        "You add `residual` times the identity to each map and divide by the row sums. Then less "
        "than `residual` of a word stays: with 0.5 it is a third.",
        "By how much do you divide, and which share does the identity have then?",
        "The map gets 1 - residual, the identity residual, and nothing is divided.",
    ),
    Misconception(
        name="order-of-factors",
        answer=first_from_the_left,
        believed="Layers are multiplied from left to right as they run.",
        says="Your product has the first layer on the left. Its rows sum to 1 as well, so the sums "
        "do not show it. But layer 2 reads the output of layer 1, so layer 2 belongs on the left.",
        hints=(
            "Row i of the last layer holds the weights of output i. What must be to its right?",
            "For two layers the product is (second) @ (first).",
            "In the loop, write step @ reached and not reached @ step.",
        ),
    ),
    Misconception(
        name="no-residual",
        answer=no_residual,
        believed="Information moves through attention only.",
        says="Your result is the product of the mean maps alone, as if nothing of a word stayed "
        "where it is. In a block the input is added to the output of attention.",
        hints=(
            "What happens to a word's own vector when it goes through a block?",
            "A word that attends only to itself has its row of the identity matrix.",
            "Mix each mean map with the identity, in the shares 1 - residual and residual.",
        ),
    ),
    Misconception(
        name="added-not-mixed",
        answer=added_not_mixed,
        believed="A residual connection adds, so the identity is added.",
        variants=(share_added,),
        says="Your rows sum to more than 1: you add the identity, or a share of it, and keep the "
        "whole map. Shares must sum to 1.",
        hints=(
            "What do the rows of your result sum to?",
            "If residual is the share of the identity, what is the share of the map?",
            "Take the share `residual` of the identity, and the rest of the mean.",
        ),
    ),
    Misconception(
        name="heads-summed",
        answer=heads_summed,
        believed="All heads add to the stream, so their maps are summed.",
        says="With several heads your rows sum to more than 1: you sum over the heads, and the "
        "task asks for their mean.",
        hints=(
            "With one head you are right. What changes with two?",
            "A row of the sum of two maps sums to 2.",
            "Use mean over the axis of the heads.",
        ),
    ),
    Misconception(
        name="largest-head",
        answer=largest_head,
        variants=(largest_head_scaled,),
        believed="The strongest head decides.",
        says="You take the largest weight over the heads. The task asks for the mean.",
        hints=(
            "What does a row of a maximum over heads sum to?",
            "The formula has a bar over A. What does it mean?",
            "Use mean instead of amax.",
        ),
    ),
    Misconception(
        name="shares-swapped",
        answer=shares_swapped,
        believed="The residual is the share of the map.",
        says="You have exchanged the two shares. `residual` is the share of a word that stays: "
        "with residual=0 nothing should stay, but in your result everything does. At the default "
        "of 0.5 the two are the same.",
        hints=(
            "What should residual=1 give: the identity, or the product of the maps?",
            "The residual is the share that stays.",
            "residual multiplies the identity.",
        ),
    ),
    Misconception(
        name="always-half",
        answer=always_half,
        believed="The share in a rollout is always a half.",
        says="Your result does not change with residual: it is always the one for 0.5.",
        hints=(
            "Where does your code use the argument residual?",
            "What should residual=0 give?",
            "Replace the constant by the argument, in both shares.",
        ),
    ),
    Misconception(
        name="mean-of-layers",
        answer=mean_of_layers,
        believed="Layers, like heads, are averaged.",
        says="With several layers your result is the mean of the mixed maps. But the second layer "
        "reads the output of the first: the steps follow each other, so they are multiplied.",
        hints=(
            "Can a word reach another one by way of a third in your result?",
            "Two steps in turn are a matrix product.",
            "Multiply the mixed maps, the later from the left.",
        ),
    ),
    said(
        "heads-without-a-mean",
        smallest_head,
        "All heads must agree.",
        "With several heads, your rows sum to less than 1: you take the smallest weights of the "
        "heads, or multiply them. The task asks for the mean.",
        "What do the rows of the mean of two maps sum to?",
        "Use mean over the axis of the heads.",
        variants=(heads_multiplied,),
    ),
    said(
        "each-head-alone",
        each_head_alone,
        "Heads go through the layers side by side.",
        "You multiply each head through the layers and average at the end. But every head of the "
        "next layer can read the output of head 0.",
        "Which heads read the output of layer 1: the same head, or all?",
        "Average the heads of a layer before you multiply.",
    ),
    said(
        "mixed-at-the-end",
        mixed_at_the_end,
        "A word stays once.",
        "You mix with the identity once, after all layers. But a share of each word stays in every "
        "layer.",
        "With two layers, which share of a word stays in both?",
        "Mix each layer's map before you multiply.",
    ),
    said(
        "entry-by-entry",
        entry_by_entry,
        "Maps are multiplied number by number.",
        "You multiply the maps entry by entry. This leaves out that a word can reach another by "
        "way of a third.",
        "Which operation adds up over the words in between?",
        "Use @ in place of *.",
    ),
    said(
        "turned",
        upright,
        "Columns are outputs.",
        "Your result is transposed: your columns sum to 1. Row i should hold the shares of the "
        "words in output i.",
        "What do your rows sum to?",
        "Rows are queries, in the product as well.",
    ),
    said(
        "last-layer-only",
        last_layer_only,
        "The last layer shows the shares of the output.",
        "You return the map of the last layer. It holds the shares of this layer's inputs, each of "
        "which is already a mix of several words.",
        "What does the first layer change in your result?",
        "Multiply through all layers.",
    ),
    said(
        "first-layer-not-mixed",
        input_left_out,
        "The residual share starts with the second layer.",
        "You take the first layer's map as it is. In the first layer, too, a share of each word "
        "stays.",
        "What do you return for a single layer?",
        "Begin with the identity, not with the first map.",
    ),
    said(
        "later-layers-not-mixed",
        later_unmixed,
        "The residual share is mixed in once, at the start.",
        "You mix the first layer's map with the identity, and multiply by the maps of the later "
        "layers as they are. A share of each word stays in every layer.",
        "With two layers, which share of a word stays in both?",
        "Mix each layer's map before you multiply.",
    ),
    said(
        "mean-to-a-power",
        mean_to_a_power,
        "Averaging first and multiplying afterwards is the same.",
        "You average the layers, too, and multiply this mean by itself. The layers differ and "
        "follow each other, so each map is a factor of its own.",
        "What is the product of two different maps, and what the square of their mean?",
        "Take the mean over the heads only, and multiply layer by layer.",
    ),
    said(
        "first-head-only",
        first_head,
        "One head is enough.",
        "You use the first head of each layer and leave out the others.",
        "What changes in your result when head 1 changes?",
        "Average over the axis of heads.",
    ),
)
