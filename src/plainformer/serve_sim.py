"""The command line ``python -m plainformer serve-sim``: simulate a server under a load."""

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from plainformer.devices import device
from plainformer.models import Config, Decoder
from plainformer.models.pretrained import load
from plainformer.serving import (
    Calibrated,
    Cost,
    Engine,
    Server,
    Simulator,
    Workload,
    calibrate,
    drive,
    scheduler_for,
    table,
)

DESCRIPTION = """\
Say how a server would do under a workload: tokens a second, seconds to the first token, seconds
for each further token, requests inside, preemptions, and what the prefix cache saves.

First an engine with a real model runs a short workload on this machine, and a cost is fitted to
its steps: so many seconds for a step, for each position, for each pair of query and key, for each
request. Then the same scheduler runs the whole workload against that cost, which takes no time."""

EPILOG = """\
examples:
  python -m plainformer serve-sim --rate 4 --prompt 100:400 --answer 20:80
      the built-in model, 4 requests a second
  python -m plainformer serve-sim --shared 200 --prompt 210:260 --answer 20 --check
      prompts that begin with the same 200 tokens; the engine answers them too, and both reports
      are shown
  python -m plainformer serve-sim --model runs/bytes --pages 64 --budget 128
      a model that `python -m plainformer train` saved, with little memory
  python -m plainformer serve-sim --cost 0.004,2e-5,1e-9,1e-4 --requests 2000
      no model at all: seconds for a step, a position, a pair, a request
  python -m plainformer serve-sim --rate 8 --slo 0.5,0.05
      how many requests a second get their first token in 0.5 s and the others every 0.05 s
  python -m plainformer serve-sim --clients 8 --think 2
      a closed load: 8 clients, each of whom asks again 2 s after it was answered

exit codes: 0 done, 2 called with something that cannot be, 130 interrupted"""

GOODPUT = "goodput: requests a second within the limits"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: the command line; that of the process when left out.

    Returns:
        The exit code: 0 on success, 2 for a usage error, 130 if interrupted.
    """
    options = parser().parse_args(arguments)
    try:
        _run(options)
    except (ValueError, OSError) as error:
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return 0


def parser() -> argparse.ArgumentParser:
    """Make the parser of the command line."""
    made = argparse.ArgumentParser(
        prog="python -m plainformer serve-sim",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    load_ = made.add_argument_group("the workload")
    load_.add_argument("--requests", type=int, default=100, help="how many (100)")
    load_.add_argument("--rate", type=float, default=2.0, help="requests a second, Poisson (2)")
    load_.add_argument("--prompt", type=_span, default=(32, 256), metavar="A:B",
                       help="tokens of a prompt, from A to B (32:256)")  # fmt: skip
    load_.add_argument("--answer", type=_span, default=(16, 64), metavar="A:B",
                       help="tokens of an answer, from A to B (16:64)")  # fmt: skip
    load_.add_argument("--shared", type=int, default=0, metavar="N",
                       help="tokens that all prompts begin with (0)")  # fmt: skip
    load_.add_argument("--clients", type=int, metavar="N",
                       help="ask in turn, each when it was answered: a closed load")  # fmt: skip
    load_.add_argument("--think", type=float, default=0.0, metavar="S",
                       help="seconds from a client's answer to its next request (0)")  # fmt: skip
    load_.add_argument("--seed", type=int, default=0, help="draws the workload (0)")
    server = made.add_argument_group("the server")
    server.add_argument("--pages", type=int, default=512, help="pages of the cache (512)")
    server.add_argument("--page-size", type=int, default=16, help="positions on a page (16)")
    server.add_argument("--budget", type=int, default=256, help="positions a step (256)")
    server.add_argument("--running", type=int, default=32, help="requests at once (32)")
    server.add_argument("--no-prefix-cache", action="store_true", help="compute every prompt whole")
    server.add_argument("--static", action="store_true",
                        help="answer a batch whole before the next begins")  # fmt: skip
    cost = made.add_argument_group("where the seconds come from")
    cost.add_argument("--model", type=Path, help="a saved model; a small random one when left out")
    cost.add_argument("--cost", type=_cost, metavar="S,T,L,R",
                      help="seconds of step, position, pair, request: measure nothing")  # fmt: skip
    cost.add_argument("--check", action="store_true", help="let the engine do it all as well")
    made.add_argument("--slo", type=_limits, metavar="F,E",
                      help="goodput: F s to the first token, E s to each other")  # fmt: skip
    made.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there too")
    return made


def _run(options: argparse.Namespace) -> None:
    if options.check and options.cost is not None:
        raise ValueError("--check needs an engine, and --cost takes none: leave one of them out")
    model = None if options.cost is not None else _model(options)
    workload = Workload(
        requests=options.requests,
        rate=options.rate,
        prompt_tokens=options.prompt,
        answer_tokens=options.answer,
        shared_tokens=options.shared,
        vocabulary=256 if model is None else model.config.vocabulary,
        seed=options.seed,
    )
    calibrated: Calibrated | None = None
    if model is not None:
        few = dataclasses.replace(workload, requests=min(workload.requests, 12), shared_tokens=0)
        calibrated = calibrate(_engine(model, options), few)
        print(_said(calibrated))
    cost: Cost = options.cost if calibrated is None else calibrated.cost
    servers: dict[str, Server] = {"simulated": Simulator(scheduler_for(**_shape(options)), cost)}
    if options.check and model is not None:
        servers["measured"] = _engine(model, options)
    reports = {
        name: drive(server, workload.draw(), clients=options.clients, think=options.think)
        for name, server in servers.items()
    }
    summaries = {name: report.summary() for name, report in reports.items()}
    if options.slo is not None:
        first, each = options.slo
        for name, report in reports.items():
            summaries[name][GOODPUT] = report.goodput(ttft=first, tpot=each)
    print(table(summaries))
    if options.json is not None:
        data = summaries
        options.json.write_text(json.dumps({"cost": dataclasses.asdict(cost), **data}, indent=1))


def _said(calibrated: Calibrated) -> str:
    cost = calibrated.cost
    return (
        f"cost, from {calibrated.steps} measured steps (half of them within "
        f"{calibrated.error:.0%}): {cost.step * 1e3:.3g} ms a step, {cost.token * 1e6:.3g} µs a "
        f"position, {cost.look * 1e9:.3g} ns a pair, {cost.request * 1e6:.3g} µs a request"
    )


def _model(options: argparse.Namespace) -> Decoder:
    where = device()
    if options.model is None:
        torch.manual_seed(0)
        context = options.prompt[1] + options.answer[1]
        config = Config(vocabulary=256, d_model=128, n_layers=4, n_heads=4, context=context)
        return Decoder(config).to(where).eval()
    model = load(options.model)
    if not isinstance(model, Decoder):
        raise ValueError(f"{options.model} holds a {type(model).__name__}; expected a Decoder")
    return model.to(where).eval()


def _engine(model: Decoder, options: argparse.Namespace) -> Engine:
    return Engine(model, **_shape(options))


def _shape(options: argparse.Namespace) -> dict[str, Any]:
    return {
        "pages": options.pages,
        "page_size": options.page_size,
        "token_budget": options.budget,
        "max_running": options.running,
        "prefix_cache": not options.no_prefix_cache,
        "continuous": not options.static,
    }


def _span(text: str) -> tuple[int, int]:
    low, _, high = text.partition(":")
    try:
        return int(low), int(high or low)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: expected A:B, or one number") from None


def _limits(text: str) -> tuple[float, float]:
    try:
        first, each = (float(part) for part in text.split(","))
        return first, each
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: expected two numbers, F,E") from None


def _cost(text: str) -> Cost:
    try:
        step, token, look, request = (float(part) for part in text.split(","))
        return Cost(step=step, token=token, look=look, request=request)
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"{text!r}: expected four numbers, S,T,L,R, none negative ({error})"
        ) from None


if __name__ == "__main__":
    sys.exit(main())
