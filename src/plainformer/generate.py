"""The command line ``python -m plainformer.generate``: continue prompts with a saved model."""

import argparse
import codecs
import os
import sys
import time
from collections.abc import Iterator, Sequence
from typing import NoReturn

import torch

from plainformer import device as fastest
from plainformer.devices import named
from plainformer.generation import (
    Drafter,
    EndToken,
    Generated,
    ModelDrafter,
    PromptLookup,
    Sampler,
    Token,
    stream,
)
from plainformer.generation.stopping import collected
from plainformer.models import Decoder
from plainformer.models.pretrained import load

BYTES = 256  # the vocabulary of a model whose tokens are bytes
PATHS = {"lean": "lean decoder", "model": "model itself"}
DESCRIPTION = """\
Continue prompts with a saved model: a folder with config.json and model.safetensors, such as
python -m plainformer.train writes, or a GPT-2 or Llama checkpoint in the layout of Hugging Face.

A prompt is either token numbers (--tokens 5,3,8) or, for a model whose 256 tokens are bytes, text
(--prompt 'Once upon'). Give several of either to continue them all, in one batch. The new tokens
go to standard output, each prompt's as they are, then a line's end; why each stopped and how fast
it went goes to standard error."""

EPILOG = """\
examples:
  python -m plainformer.generate --model runs/bytes --prompt 'Once upon' --stream
  python -m plainformer.generate --model gpt2 --tokens 464,3290 --temperature 0
  python -m plainformer.generate --model big --draft small --tokens 1,2,3 --top-p 0.9

A token is drawn in this order: temperature, top-k, top-p, min-p, one draw. The same --seed gives
the same tokens; a prompt's depend on its number in the batch, not on its neighbours. Guesses
(--draft, --lookup) change the time that is taken, not the distribution of what is drawn.

exit codes:
  0    done
  2    an argument, a prompt or the folder is wrong; one line on standard error says which
  130  interrupted (Ctrl-C)
In the last two cases, too, the tokens that came before are printed.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the arguments; the command line of the process when left out.

    Returns:
        The exit code: 0 on success, 2 for bad input, 130 if interrupted.
    """
    args = parser().parse_args(argv)
    try:
        _run(args)
    except BrokenPipeError:  # the reader of the output has closed it
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
    finally:  # print the tokens so far, even after an interruption
        made, seconds = collected(came, len(prompts), path=tokens.path), time.perf_counter() - begin
        _report(made, text, seconds, streamed=args.stream)


def _printed(tokens: Iterator[Token], text: bool) -> Iterator[Token]:
    """Print tokens as they pass; a character of several bytes is printed with its last byte."""
    letters = codecs.getincrementaldecoder("utf-8")(errors="replace")
    for i, token in enumerate(tokens):
        new = letters.decode(bytes([token.token])) if text else f"{',' if i else ''}{token.token}"
        print(new, end="", flush=True)
        yield token
    print(letters.decode(b"", final=True), end="")


def _report(made: Generated, text: bool, seconds: float, *, streamed: bool) -> None:
    """Print the tokens, unless they were streamed, and a summary to standard error."""
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


class _Parser(argparse.ArgumentParser):
    """Report a usage error in one line."""

    def error(self, message: str) -> NoReturn:
        print(f"error: {message} (--help lists the options)", file=sys.stderr)
        raise SystemExit(2)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = _Parser(
        prog="python -m plainformer.generate",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = top.add_argument_group("model and prompts").add_argument
    add("--model", required=True, metavar="FOLDER", help="the model")
    add("--prompt", action="append", default=[], metavar="TEXT", help="text, read as UTF-8 bytes")
    add("--tokens", action="append", default=[], metavar="N,N,…", help="token numbers, from 0")
    add("--bytes", action="store_true", help="print text also where the prompt was --tokens")
    add("--bos", type=int, metavar="TOKEN", help="put this token before each prompt")
    add("--device", metavar="NAME", help="cpu, cuda, cuda:1 or mps; default: the fastest here")
    add = top.add_argument_group("how tokens are drawn").add_argument
    add(
        "--temperature",
        type=float,
        default=1.0,
        metavar="T",
        help="0: the likeliest, always; default 1",
    )
    add("--top-k", type=int, metavar="K", help="only from the K likeliest; default: from all")
    add(
        "--top-p", type=float, metavar="P", help="only from the likeliest that hold P of 1 together"
    )
    add("--min-p", type=float, metavar="P", help="only from those P times as likely as the first")
    add("--seed", type=int, default=0, metavar="N", help="where chance begins; default 0")
    add = top.add_argument_group("how many").add_argument
    add("--max-new-tokens", type=int, default=64, metavar="N", help="for each prompt; default 64")
    add(
        "--end",
        type=int,
        action="append",
        metavar="TOKEN",
        help="stop after it; default: after the end tokens that the model's files name",
    )
    add("--endless", action="store_true", help="stop after no token")
    add("--stream", action="store_true", help="print each token as it comes; one prompt only")
    add = top.add_argument_group("which path").add_argument
    add(
        "--path",
        choices=["lean", "model"],
        help="compute with the weights packed for speed, or with the model as it is; default: "
        "lean on the CPU from 64 new tokens on, up to 128 MiB, where model and prompts allow it",
    )
    ahead = top.add_argument_group("guessing ahead (speculative sampling)")
    add = ahead.add_mutually_exclusive_group().add_argument
    add("--draft", metavar="FOLDER", help="a smaller model of the same vocabulary guesses")
    add("--lookup", action="store_true", help="guess that the text repeats itself")
    ahead.add_argument(
        "--ahead", type=int, default=4, metavar="N", help="tokens guessed in a round; default 4"
    )
    return top


def sampler_of(args: argparse.Namespace) -> Sampler:
    """Make the sampler that the options describe.

    Args:
        args: the options, as read by :func:`parser`.
    """
    return Sampler(
        temperature=args.temperature,
        top_k=args.top_k,
        top_p=args.top_p,
        min_p=args.min_p,
        seed=args.seed,
    )


def prompts_of(args: argparse.Namespace) -> list[list[int]]:
    """List the prompts of the options, those given as numbers first.

    Args:
        args: the options, as read by :func:`parser`.

    Raises:
        ValueError: there is none, one is not made of numbers, or several are to be streamed.
    """
    texts = [list(text.encode("utf-8", "surrogateescape")) for text in args.prompt]
    prompts = [_numbers(text) for text in args.tokens] + texts
    if not prompts:
        raise ValueError("no prompt: give --tokens 5,3,8, or --prompt TEXT for a model of bytes")
    if args.stream and len(prompts) > 1:
        raise ValueError(f"--stream prints one prompt, and {len(prompts)} were given")
    return prompts


def _numbers(text: str) -> list[int]:
    try:
        return [int(number) for number in text.split(",")] if text.strip() else []
    except ValueError as error:
        raise ValueError(f"--tokens {text!r}: expected whole numbers with commas, 5,3,8") from error


if __name__ == "__main__":
    raise SystemExit(main())
