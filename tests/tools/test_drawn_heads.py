"""The numbers in the drawings of chapter 09 are those of the storyteller."""

import pytest
import torch
from tools.drawings import copying_begins, four_answers, maps_with_words, verb_route

from plainformer.lab.storyteller import BALLADS, growth, storyteller
from plainformer.looking import ablated, logit_attribution, recorded

ONE = "fox owl hen king child giant mouse witch".split()
MANY = "foxes owls hens kings children giants mice witches".split()
OTHER = dict(zip(ONE + MANY, MANY + ONE, strict=True))
PAIRS = [(a, b) for a in OTHER for b in OTHER if b not in (a, OTHER[a])]
SIGN = torch.tensor([1.0 if a in ONE else -1.0 for a, _ in PAIRS])


def encode(text):
    return torch.from_numpy(BALLADS.encode(text))[None]


CASES = torch.cat([encode(f"* mice sing brave often . the {a} near the {b}") for a, b in PAIRS])
SEES = BALLADS.encode("sees hears fears loves follows sleeps sings waits runs")
SEE = BALLADS.encode("see hear fear love follow sleep sing wait run")


@pytest.fixture(scope="module")
def model():
    return storyteller()


@torch.no_grad()
def margins(model):
    logits = model(CASES)[:, -1]
    return SIGN * (logits[:, SEES].logsumexp(-1) - logits[:, SEE].logsumexp(-1))


def test_the_drawn_cells_are_the_weights_above_a_half(model):
    text = " ".join(maps_with_words.WORDS).replace("∗", "*")
    with torch.no_grad(), recorded(model) as seen:
        model(encode(text))
    for cells, (layer, head) in (
        (maps_with_words.LOCAL, (0, 2)),
        (maps_with_words.INDUCTION, (1, 0)),
    ):
        large = (seen.weights[layer][0, head] > 0.5).nonzero().tolist()
        assert [list(cell) for cell in cells] == large
    assert set(maps_with_words.COPIES) <= set(maps_with_words.INDUCTION)


def test_the_drawn_answers_are_the_models(model):
    with torch.no_grad(), recorded(model) as seen:
        model(CASES)
    for head, weights in enumerate(four_answers.WEIGHTS.values()):
        mean = seen.weights[1][:, head, -1, 6:].mean(dim=0)
        assert weights == pytest.approx(mean.tolist(), abs=0.006)
    for head, share in (
        (0, 100),
        (1, 100),
        (2, 69),
        (3, 84),
        (4, 100),
        (5, 100),
        (6, 50),
        (7, 100),
    ):
        with ablated(model, [divmod(head, 4)], by="mean"):
            right = (margins(model) > 0).double().mean()
        name = f"without head {head // 4}.{head % 4}"
        assert four_answers.RIGHT.get(name, 100) == share == round(100 * right.item())
    assert four_answers.RIGHT["without head 1.2"] == verb_route.RIGHT
    assert seen.weights[0][:, 2, 8, 7].mean() == pytest.approx(verb_route.FIRST, abs=0.005)
    assert seen.weights[1][:, 2, -1, 8].mean() == pytest.approx(verb_route.SECOND, abs=0.005)
    assert margins(model).mean() == pytest.approx(verb_route.MARGIN, abs=0.05)


def test_the_drawn_cuts_are_those_of_the_patches(model):
    first, second = model.blocks
    norm, columns = second.attention_residual.norm, slice(32, 48)

    def stream():
        places = torch.arange(CASES.shape[1])
        return first(model.embedding(CASES), None, model.rule, positions=places)

    with torch.no_grad():
        with recorded(model) as seen:
            model(CASES)
        heads = seen.outputs[0][:, 2]
        direct = (heads.mean(dim=(0, 1)) - heads) @ first.attention.output.weight[:, columns].T
        with ablated(model, [(0, 2)], by="mean"):
            both = stream()
    for x, drawn in ((both, verb_route.WITHOUT), (both - direct, verb_route.CUT)):
        patch = second.attention.value(norm(x)).detach()[..., columns]

        def insert(module, inputs, out, patch=patch):
            return torch.cat([out[..., :32], patch, out[..., 48:]], dim=-1)

        hook = second.attention.value.register_forward_hook(insert)
        assert margins(model).mean() == pytest.approx(drawn, abs=0.05)
        hook.remove()


def test_the_drawn_nats_are_those_of_the_attribution(model):
    shares = {}
    for verb in ("see", "sees"):
        target = torch.full_like(CASES, int(BALLADS.encode(verb)[0]))
        shares[verb] = logit_attribution(model, CASES, target)
    ahead = {part: (SIGN * (shares["sees"][part] - shares["see"][part])[:, -1]).mean().item()
             for part in shares["see"]}  # fmt: skip
    drawn = four_answers.NATS
    assert ahead.pop("feed-forward 1") == pytest.approx(drawn["last feed-forward"], abs=0.05)
    assert ahead.pop("1.2") == pytest.approx(drawn["head 1.2"], abs=0.05)
    assert max(map(abs, ahead.values())) < 0.05
    assert drawn["last feed-forward"] == verb_route.NATS


def test_the_drawn_curves_are_those_of_the_record():
    for seed, points in copying_begins.CURVES.items():
        assert points == [(row["step"], row["copied"]) for row in growth(seed)]
    assert copying_begins.LATE == (2, 3)
    assert all(end < 0.1 for seed, end in copying_begins.ENDS.items() if seed not in (2, 3))
