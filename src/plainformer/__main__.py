"""``python -m plainformer``: the command lines of the package."""

import sys
from collections.abc import Callable, Sequence

HELP = """\
usage: python -m plainformer COMMAND [OPTIONS]

  train       train a model, alone or under torchrun, and resume it where it was killed
  generate    continue prompts with a trained model
  serve-sim   say how a server would do under a workload, from steps measured here

`python -m plainformer COMMAND --help` explains one of them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that the first of ``arguments`` names.

    Args:
        arguments: the command line; that of the process when left out.

    Returns:
        The exit code: 0 on success, 2 for a usage error.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    name = given[0] if given else "--help"
    if name in ("-h", "--help"):
        print(HELP)
        return 0
    if name not in COMMANDS:
        there = ", ".join(COMMANDS)
        print(f"error: no command {name!r}: there are {there}", file=sys.stderr)
        return 2
    return COMMANDS[name](given[1:])


def _train(arguments: list[str]) -> int:
    from plainformer.train import main as command

    return command(arguments)


def _generate(arguments: list[str]) -> int:
    from plainformer.generate import main as command

    return command(arguments)


def _serve_sim(arguments: list[str]) -> int:
    from plainformer.serve_sim import main as command

    return command(arguments)


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "train": _train,
    "generate": _generate,
    "serve-sim": _serve_sim,
}

if __name__ == "__main__":
    sys.exit(main())
