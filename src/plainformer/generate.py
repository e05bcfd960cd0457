"""The command line ``python -m plainformer.generate``: continue prompts with a saved model."""

import argparse
import codecs
import os
import sys
import time
from collections.abc import Iterator, Sequence

import torch

from plainformer import device as fastest
from plainformer.devices import named
from plainformer.generation import (
    Drafter,
    EndToken,
    Generated,
    ModelDrafter,
    PromptLookup,
    Token,
    stream,
)
from plainformer.generation.options import parser, prompts_of, sampler_of
from plainformer.generation.results import collected
from plainformer.models import Decoder
from plainformer.models.pretrained import load

BYTES = 256  # the vocabulary of a model whose tokens are bytes
PATHS = {"lean": "lean decoder", "model": "model itself"}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the arguments; those of the process when left out.

    Returns:
        The exit code: 0 done, 2 bad input, 130 interrupted.
    """
    args = parser().parse_args(argv)
    try:
        _run(args)
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, OSError) as error:
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return 0


def _run(args: argparse.Namespace) -> None:
    sampler, prompts = sampler_of(args), prompts_of(args)
    where = fastest() if args.device is None else named(args.device)
    model = _model(args.model, where)
    text = bool(args.bytes or args.prompt)
    if text and model.config.vocabulary != BYTES:
        raise ValueError(
            f"{args.model} has a vocabulary of {model.config.vocabulary}, and text needs the 256 "
            "bytes: give token numbers with --tokens, and leave out --prompt and --bytes"
        )
    drafter: Drafter | None = PromptLookup() if args.lookup else None
    if args.draft is not None:
        drafter = ModelDrafter(_model(args.draft, where))
    tokens = stream(
        model,
        prompts,
        max_new_tokens=args.max_new_tokens,
        sampler=sampler,
        stop=[] if args.endless else EndToken(*args.end) if args.end else None,
        bos=args.bos,
        drafter=drafter,
        ahead=args.ahead,
        fast=None if args.path is None else args.path == "lean",
    )
    came: list[Token] = []
    begin = time.perf_counter()
    try:
        for token in _printed(tokens, text) if args.stream else tokens:
            came.append(token)
    finally:  # also where it was cut short: what came is not lost
        made, seconds = collected(came, len(prompts), path=tokens.path), time.perf_counter() - begin
        _report(made, text, seconds, streamed=args.stream)


def _printed(tokens: Iterator[Token], text: bool) -> Iterator[Token]:
    """Print tokens as they pass; a letter of several bytes comes with its last one."""
    letters = codecs.getincrementaldecoder("utf-8")(errors="replace")
    for i, token in enumerate(tokens):
        new = letters.decode(bytes([token.token])) if text else f"{',' if i else ''}{token.token}"
        print(new, end="", flush=True)
        yield token
    print(letters.decode(b"", final=True), end="")


def _report(made: Generated, text: bool, seconds: float, *, streamed: bool) -> None:
    """Print the tokens, unless they were streamed, and to standard error what became of them."""
    if streamed:
        print(flush=True)
    else:
        for new in made.tokens:
            print(bytes(new).decode(errors="replace") if text else ",".join(map(str, new)))
    for i, (new, why) in enumerate(zip(made.tokens, made.stopped, strict=True)):
        print(f"prompt {i}: {len(new)} tokens, stopped: {why or 'cut short'}", file=sys.stderr)
    share = "" if made.acceptance is None else f", {made.acceptance:.0%} of judged guesses accepted"
    rate = sum(map(len, made.tokens)) / seconds
    print(f"{rate:.1f} tokens/s on the path of the {PATHS[made.path]}{share}", file=sys.stderr)


def _model(folder: str, where: torch.device) -> Decoder:
    model = load(folder, device=where)
    if not isinstance(model, Decoder):
        kind = type(model).__name__
        raise ValueError(f"{folder} holds a model of kind {kind}; only a Decoder continues text")
    return model


if __name__ == "__main__":
    raise SystemExit(main())
