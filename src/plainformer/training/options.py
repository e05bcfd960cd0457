"""The options of the command line ``python -m plainformer.train``."""

import argparse
import sys
from typing import NoReturn

DESCRIPTION = """\
Train a transformer on bytes: of a file, or of a made-up text whose entropy is known, so that the
loss can be compared with the lowest that any model can reach.

The folder gets checkpoints, training.csv (one row a step), evaluation.csv, and at the end
config.json and model.safetensors, which python -m plainformer.generate reads. Where it holds a
checkpoint, the same command goes on from there, bit for bit: after Ctrl-C, a kill or a crash."""

EPILOG = """\
examples:
  python -m plainformer.train --out runs/chain
      two layers learn a Markov chain of order 2, in about a minute
  python -m plainformer.train --out runs/book --data book.txt --layers 6 --width 384 --heads 6 \\
      --context 256 --batch 12 --steps 5000 --rate 1e-3 --dropout 0.2
  torchrun --nproc_per_node=2 -m plainformer.train --out runs/two --parallel fsdp --batch 32
      the same batches as one process with --batch 32, in two shards
  python -m plainformer.generate --model runs/chain --prompt abc

A loss is in nats per byte; divide by 0.693 for bits. --batch counts rows of all processes and
micro-steps together: each process takes batch / processes / accumulate rows at a time.

exit codes:
  0    trained to the last step; the model is saved
  2    an argument, the data or the folder is wrong, or the loss is no number any more; one line on
       standard error says which
  130  interrupted (Ctrl-C, or a polite kill); a checkpoint holds what was reached
"""


class _Parser(argparse.ArgumentParser):
    """Report a usage error in one line."""

    def error(self, message: str) -> NoReturn:
        print(f"error: {message} (--help lists the options)", file=sys.stderr)
        raise SystemExit(2)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = _Parser(
        prog="python -m plainformer.train",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("--out", required=True, metavar="FOLDER", help="where everything goes")
    _data(top.add_argument_group("what it learns from"))
    _model(top.add_argument_group("the model"))
    _training(top.add_argument_group("how it learns"))
    _running(top.add_argument_group("how it runs"))
    return top


def _data(group: "argparse._ArgumentGroup") -> None:
    add = group.add_argument
    add("--data", metavar="FILE", help="learn its bytes; the last tenth is held out")
    add(
        "--corpus",
        choices=["chain", "copies"],
        default="chain",
        help="without --data: a Markov chain, or rows that repeat their first half; default chain",
    )
    add("--corpus-bytes", type=int, default=400_000, metavar="N", help="default 400000")
    add("--letters", type=int, default=12, metavar="N", help="of the chain, 2 to 26; default 12")
    add(
        "--order",
        type=int,
        default=2,
        metavar="N",
        help="letters that the next one depends on; default 2",
    )
    add("--branch", type=int, default=3, metavar="N", help="likely next letters; default 3")
    add(
        "--noise",
        type=float,
        default=0.02,
        metavar="P",
        help="share of the probability that is spread over all letters; default 0.02",
    )
    add(
        "--objective",
        choices=["next", "masked", "spans"],
        default="next",
        help="predict the next byte (decoder), hidden bytes (encoder), or cut-out spans "
        "(encoder and decoder); default next",
    )


def _model(group: "argparse._ArgumentGroup") -> None:
    add = group.add_argument
    add("--layers", type=int, default=2, metavar="N", help="default 2")
    add("--width", type=int, default=64, metavar="M", help="model width; default 64")
    add("--heads", type=int, default=4, metavar="H", help="query heads; default 4")
    add("--kv-heads", type=int, metavar="G", help="key/value heads; default as --heads")
    add("--context", type=int, default=64, metavar="N", help="longest sequence, bytes; default 64")
    add(
        "--positions",
        default="rotary",
        metavar="KIND",
        help="none, sinusoidal, learned, rotary, alibi or relative; default rotary",
    )
    add("--norm", default="rms", metavar="KIND", help="layer or rms; default rms")
    add(
        "--feedforward",
        default="swiglu",
        metavar="KIND",
        help="relu, gelu, gelu_tanh, swiglu, geglu; default swiglu",
    )
    add("--attention", default="sdpa", metavar="KIND", help="plain, sdpa, flash; default sdpa")
    add("--dropout", type=float, default=0.0, metavar="P", help="default 0")


def _training(group: "argparse._ArgumentGroup") -> None:
    add = group.add_argument
    add("--steps", type=int, default=600, metavar="N", help="optimiser steps; default 600")
    add("--batch", type=int, default=32, metavar="N", help="rows in a step; default 32")
    add("--accumulate", type=int, default=1, metavar="N", help="micro-steps in a step; default 1")
    add("--rate", type=float, default=5e-3, metavar="X", help="highest learning rate; default 5e-3")
    add("--warmup", type=int, metavar="N", help="steps until then; default a tenth of them")
    add(
        "--final",
        type=float,
        default=0.1,
        metavar="P",
        help="what the rate ends in, along a cosine, as a share of the highest; default 0.1",
    )
    add(
        "--decay",
        type=float,
        default=0.1,
        metavar="X",
        help="weight decay of linear layers; others do not decay; default 0.1",
    )
    add(
        "--clip",
        type=float,
        default=1.0,
        metavar="X",
        help="longest gradient; inf for no limit; default 1",
    )
    add("--smoothing", type=float, default=0.0, metavar="P", help="label smoothing; default 0")
    add(
        "--precision",
        default="float32",
        metavar="KIND",
        help="float32, bfloat16, float16 (CUDA only) or float64; default float32",
    )
    add("--seed", type=int, default=0, metavar="N", help="of weights, data, dropout; default 0")


def _running(group: "argparse._ArgumentGroup") -> None:
    add = group.add_argument
    add(
        "--parallel",
        choices=["ddp", "fsdp"],
        default="ddp",
        help="under torchrun: a copy of the model in each process, or shards; default ddp",
    )
    add("--device", metavar="NAME", help="cpu, cuda, mps; default: the fastest that is here")
    add("--checkpoint-every", type=int, default=100, metavar="N", help="steps; default 100")
    add(
        "--prolong",
        action="store_true",
        help="go on with a run in FOLDER under other --steps, --warmup, --rate or --final; from "
        "there on the rate follows the new schedule, so it may leap up",
    )
    add("--keep", type=int, default=2, metavar="N", help="checkpoints that stay; default 2")
    add(
        "--evaluate-every",
        type=int,
        default=0,
        metavar="N",
        help="steps between evaluations; 0 for one at the end; default 0",
    )
    add("--tensorboard", action="store_true", help="curves in FOLDER/tensorboard")
