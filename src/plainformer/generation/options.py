"""What the command line ``python -m plainformer.generate`` can be asked for."""

import argparse
import sys
from typing import NoReturn

from plainformer.generation.sampler import Sampler

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
the same tokens, prompt i drawing with seed + i. Guesses (--draft, --lookup) change the time that
is taken, not the distribution of what is drawn.

exit codes:
  0    done
  2    an argument, a prompt or the folder is wrong; one line on standard error says which
  130  interrupted (Ctrl-C)
In the last two cases, too, the tokens that came before are printed.
"""


class _Parser(argparse.ArgumentParser):
    """Say what is wrong in one line."""

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
        "lean on the CPU from 64 new tokens on, where the model and the prompts allow it",
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
    """Make the sampler that was asked for.

    Args:
        args: what :func:`parser` has read.
    """
    return Sampler(
        temperature=args.temperature,
        top_k=args.top_k,
        top_p=args.top_p,
        min_p=args.min_p,
        seed=args.seed,
    )


def prompts_of(args: argparse.Namespace) -> list[list[int]]:
    """List the prompts that were asked for, those of numbers first.

    Args:
        args: what :func:`parser` has read.

    Raises:
        ValueError: there is none, one is not made of numbers, or there are several to stream.
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
