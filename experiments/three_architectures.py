"""Which letters of a palindrome can an encoder, a decoder and an encoder–decoder restore?

The task of chapter 07: words of six letters that read the same in both directions, with one
letter missing or two that mirror each other. Further variants train the same models with a common
mistake, to continue a word, or to classify words of different lengths from one pooled vector.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from experiments.record import Experiment
from experiments.where_the_writer_looks import CONFIG, HOLE, START, losses, shifted
from plainformer import masks
from plainformer.mask_rules import Rule
from plainformer.models import Decoder, Encoder, EncoderDecoder
from plainformer.pooling import mean_pool

PAD = 10
OPEN = Rule(causal=False)


def fresh(kind: type[nn.Module]) -> nn.Module:
    """Return an untrained model whose matrices suit a width of 32."""
    model = kind(CONFIG)
    for weight in [p for p in model.parameters() if p.ndim == 2]:
        weight.data *= 8  # the package's initialisation suits a width of several hundred
    return model


def with_blanks(
    count: int, generator: torch.Generator, *, two: bool | None = None
) -> tuple[Tensor, Tensor]:
    """Return palindromes, and the same with one blank or two mirrored ones."""
    half = torch.randint(8, (count, 3), generator=generator)
    words = torch.cat([half, half.flip(-1)], dim=-1)
    row = torch.arange(count)
    position = torch.randint(6, (count,), generator=generator)
    second = torch.rand(count, generator=generator) < 0.25
    if two is not None:
        second[:] = two
    source = words.clone()
    source[row, position] = HOLE
    source[row[second], 5 - position[second]] = HOLE
    return words, source


def padded_words(
    count: int, generator: torch.Generator, *, width: int = 8
) -> tuple[Tensor, Tensor, Tensor]:
    """Return palindromes of 4, 6 or 8 letters, their lengths, and whether each has an e."""
    answer = torch.randint(2, (count,), generator=generator)
    k = torch.randint(2, 5, (count,), generator=generator)  # letters of a half
    half = torch.randint(7, (count, 4), generator=generator)
    half += half >= 4  # no e so far
    spot = (torch.rand(count, generator=generator) * k).long()
    half[answer == 1, spot[answer == 1]] = 4
    position = torch.arange(width).expand(count, width)
    lengths = 2 * k[:, None]
    mirrored = torch.minimum(position, lengths - 1 - position).clamp(0, 3)
    tokens = half.gather(1, mirrored)
    return torch.where(position < lengths, tokens, PAD), lengths[:, 0], answer


def encoder(model: nn.Module, _: Tensor, source: Tensor) -> Any:
    """Answer at each position, with attention to both sides."""
    return model(source, mask=OPEN)


def decoder(model: nn.Module, _: Tensor, source: Tensor) -> Any:
    """Answer at each position, from it and the earlier ones."""
    return model(source)


def writes(model: nn.Module, words: Tensor, source: Tensor) -> Any:
    """Write the word with the encoder–decoder: each letter from the source and earlier letters."""
    return model(source, shifted(words))


def one_way(model: nn.Module, words: Tensor, source: Tensor) -> Any:
    """Do the same with a causal mask in the encoder."""
    memory = model.encode(source, mask=masks.causal(source.shape[1]))
    return model.decode(shifted(words), memory)


def not_shifted(model: nn.Module, words: Tensor, source: Tensor) -> Any:
    """Do the same, with each letter as input at its own position."""
    return model(source, words)


def not_causal(model: nn.Module, words: Tensor, source: Tensor) -> Any:
    """Do the same, with an open mask in the decoder."""
    memory = model.encode(source)
    return model.decoder(shifted(words), memory=memory, mask=OPEN, causal=False)


def prompted(model: nn.Module, words: Tensor, source: Tensor) -> Any:
    """Write the word with a decoder, after the source as its prompt."""
    return model(torch.cat([source, shifted(words)], dim=1))[:, source.shape[1] :]


def swapped(model: nn.Module, words: Tensor, source: Tensor) -> Any:
    """Run trained weights with cross-attention before self-attention."""
    memory, stack = model.encode(source), model.decoder
    x = stack.embed(shifted(words), torch.arange(words.shape[1]))
    for block in stack.blocks:
        x = x + block.cross_attention(block.cross_residual.norm(x), memory)
        mask = masks.causal(words.shape[1])
        x = x + block.attention(block.attention_residual.norm(x), None, mask)
        x = x + block.feedforward(block.feedforward_residual.norm(x))
    return stack.output(stack.norm(x))


Answer = Callable[[nn.Module, Tensor, Tensor], Any]
ANSWERS: Mapping[str, tuple[type[nn.Module], Answer]] = {
    "encoder": (Decoder, encoder),  # the same class: the mask decides
    "decoder": (Decoder, decoder),
    "encoder–decoder": (EncoderDecoder, writes),
    "decoder, word after a prompt": (Decoder, prompted),
    "encoder with a causal mask": (EncoderDecoder, one_way),
    "inputs not shifted": (EncoderDecoder, not_shifted),
    "no causal mask": (EncoderDecoder, not_causal),
}


def optimise(
    model: nn.Module, loss_of: Callable[[torch.Generator], Tensor], seed: int, steps: int
) -> None:
    """Train a model on batches from its own generator."""
    generator = torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.005)
    for _ in range(steps):
        optimiser.zero_grad()
        loss_of(generator).backward()  # type: ignore[no-untyped-call]
        optimiser.step()


@torch.no_grad()
def by_position(answer: Answer, model: nn.Module, *, two: bool) -> list[float]:
    """Return the mean loss at a blank, for each of its positions."""
    words, source = with_blanks(4000, torch.Generator().manual_seed(99), two=two)
    blank = source == HOLE
    each = losses(answer(model, words, source), words) * blank
    return [float(mean) for mean in each.sum(dim=0) / blank.sum(dim=0)]


@torch.no_grad()
def filled(
    answer: Answer, model: nn.Module, *, two: bool, at_once: bool = False
) -> tuple[Tensor, Tensor]:
    """Return words and the model's: letters drawn from left to right, or from one reading."""
    generator = torch.Generator().manual_seed(7)
    words, source = with_blanks(2000, generator, two=two)
    drawn = source.clone()
    for t in range(6):
        if answer in (encoder, decoder):
            logits = answer(model, words, source if at_once else drawn)
        else:  # what comes later has not been written yet
            logits = answer(model, drawn[:, : t + 1], source)
        letter = logits[:, t].softmax(dim=-1).multinomial(1, generator=generator)[:, 0]
        drawn[:, t] = torch.where(source[:, t] == HOLE, letter, source[:, t])
    return words, drawn


def agree(words: Tensor) -> float:
    """Return the fraction of words that are palindromes."""
    return (words == words.flip(-1)).all(dim=-1).double().mean().item()


def blanks(*, seed: int, steps: int, answer: str) -> dict[str, Any]:
    """Train on blanks; return losses by position, and how well blanks are filled."""
    kind, answers = ANSWERS[answer]
    model = fresh(kind)

    def loss_of(generator: torch.Generator) -> Tensor:
        words, source = with_blanks(64, generator)
        return losses(answers(model, words, source), words)[source == HOLE].mean()

    optimise(model, loss_of, seed, steps)
    words, drawn = filled(answers, model, two=False)
    found = {
        "one blank": by_position(answers, model, two=False),
        "two blanks": by_position(answers, model, two=True),
        "restored": (words == drawn).all(dim=-1).double().mean().item(),
        "agree": agree(filled(answers, model, two=True)[1]),
    }
    if answers is encoder:
        found["agree at once"] = agree(filled(answers, model, two=True, at_once=True)[1])
    if answers is writes:
        found["one blank, one way"] = by_position(one_way, model, two=False)
        found["one blank, swapped"] = by_position(swapped, model, two=False)
    return found


def next_letter(*, seed: int, steps: int) -> dict[str, Any]:
    """Train a decoder on the next letter; let it write the second half of words."""
    model = fresh(Decoder)

    def loss_of(generator: torch.Generator) -> Tensor:
        words, _ = with_blanks(64, generator)
        return losses(model(shifted(words)), words).mean()

    optimise(model, loss_of, seed, steps)
    with torch.no_grad():
        words, _ = with_blanks(2000, torch.Generator().manual_seed(99))
        written = torch.cat([torch.full((len(words), 1), START), words[:, :3]], dim=1)
        for _ in range(3):
            letter = model(written)[:, -1:].argmax(dim=-1)
            written = torch.cat([written, letter], dim=1)
        return {
            "next letter": losses(model(shifted(words)), words).mean(dim=0).tolist(),
            "continued": (written[:, 1:] == words).all(dim=-1).double().mean().item(),
        }


class Classifier(nn.Module):
    """A stack, one vector chosen or pooled from its output, and a linear layer."""

    def __init__(self, pool: str) -> None:
        super().__init__()
        self.stack, self.head, self.pool = fresh(Encoder), nn.Linear(32, 2), pool

    def forward(self, tokens: Tensor, lengths: Tensor, *, over_padding: bool = False) -> Any:
        """Return two logits per word."""
        if self.pool == "mean":
            hidden = self.stack(tokens, mask=Rule(causal=False, lengths=lengths))
            real = torch.arange(tokens.shape[1]) < lengths[:, None]
            counted = torch.ones_like(real) if over_padding else real
            return self.head(mean_pool(hidden, counted))
        row, behind = torch.arange(len(tokens)), self.pool == "decoder, behind"
        position = lengths * behind  # of [CLS]
        tokens = F.pad(tokens, (0, 1) if behind else (1, 0), value=PAD)
        tokens[row, position] = START  # serves as [CLS]
        causal = self.pool.startswith("decoder")
        mask = Rule(causal=causal, lengths=lengths + 1)
        x = self.stack.hidden(tokens, mask=mask, causal=causal)
        return self.head(x[row, position])


def one_vector(*, seed: int, steps: int, pool: str) -> dict[str, Any]:
    """Train a classifier on whether a word has an e; return its accuracy."""
    model = Classifier(pool)

    def loss_of(generator: torch.Generator) -> Tensor:
        tokens, lengths, answer = padded_words(64, generator)
        return F.cross_entropy(model(tokens, lengths), answer)

    @torch.no_grad()
    def right(width: int, **how: bool) -> float:
        generator = torch.Generator().manual_seed(99)
        tokens, lengths, answer = padded_words(2000, generator, width=width)
        guess = model(tokens, lengths, **how).argmax(dim=-1)
        return (guess == answer).double().mean().item()

    optimise(model, loss_of, seed, steps)
    found = {"accuracy": right(8)}
    if pool == "mean":
        found |= {
            f"accuracy, mean over padding to {width}": right(width, over_padding=True)
            for width in (8, 32)
        }
    return found


TASKS: Mapping[str, Callable[..., dict[str, Any]]] = {
    "blanks": blanks,
    "next letter": next_letter,
    "one vector": one_vector,
}


def measure(*, seed: int, steps: int, task: str, **settings: Any) -> dict[str, Any]:
    """Train once on a task and return what was learned."""
    return TASKS[task](seed=seed, steps=steps, **settings)


EXPERIMENT = Experiment(
    file=__file__,
    question=(
        "Which missing letters of a palindrome can an encoder, a decoder and an encoder–decoder "
        "restore? Against it: with enough steps, the decoder restores them all."
    ),
    measure=measure,
    variants={
        **{name: {"task": "blanks", "answer": name} for name in ANSWERS},
        "decoder, next letter": {"task": "next letter"},
        **{
            f"[CLS], {pool}": {"task": "one vector", "pool": pool}
            for pool in ("encoder, in front", "decoder, in front", "decoder, behind")
        },
        "mean of real tokens": {"task": "one vector", "pool": "mean"},
    },
    steps=500,
)

if __name__ == "__main__":
    EXPERIMENT.main()
