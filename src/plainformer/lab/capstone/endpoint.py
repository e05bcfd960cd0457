"""The command ``python -m plainformer.lab.capstone serve``: train a design, and serve it locally.

It trains and measures the design, unless the folder contains the same one already, writes a page of
samples, a plot and the skeleton of a report, and then answers requests on this computer with the
engine of chapter 16.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import torch
from safetensors.torch import load_file, save_file

from plainformer.generation import Sampler
from plainformer.lab.capstone.entry import Entry, Refused, read, without_training
from plainformer.lab.capstone.language import SHORT, held_out, language
from plainformer.lab.capstone.measuring import Measured, measure
from plainformer.lab.capstone.pages import page, plot, report
from plainformer.lab.capstone.timing import engine_of
from plainformer.lab.capstone.training import train_entry
from plainformer.lab.capstone.worked import DESIGNS, facts
from plainformer.models import Decoder
from plainformer.serving import Request

DESCRIPTION = """\
Train a design and measure it, write a page of its samples, a plot and the skeleton of a report,
and then answer requests at a local address. A design that the folder holds is not trained again."""
PROMPT, NEW = 12, 32  # words of a sample's prompt, and of its continuation
Answer = Callable[[str, int], str]


def writer(entry: Entry, model: Decoder, seed: int) -> Answer:
    """Return a function that continues a text by some words, sampled with the design's engine.

    Args:
        entry: its settings of the engine are used.
        model: the trained model.
        seed: seed of the language and of the draws.
    """
    words = language(seed)

    def answer(text: str, new: int) -> str:
        prompt = words.encode(text).tolist()
        engine = engine_of(model, dict(entry.serving))
        sampler = Sampler(temperature=1.0, seed=seed)
        engine.submit(Request(prompt=prompt, max_new_tokens=new, sampler=sampler, stop=[]))
        return words.decode(engine.run()[0].tokens)

    return answer


def make(
    name: str, design: Mapping[str, Any], folder: Path, *, seed: int, seconds: float
) -> Answer:
    """Train and measure a design, write its files, and return a function that continues a text.

    Args:
        name: name of the design.
        design: its data, as submitted to the grader.
        folder: folder of the files. Weights of the same design are read from it.
        seed: seed of the language.
        seconds: processor time for the training.

    Raises:
        Refused: the design cannot be trained or served.
    """
    folder.mkdir(parents=True, exist_ok=True)
    weights, known = folder / "weights.safetensors", folder / "capstone.json"
    same = {"design": dict(design), "seed": seed, "seconds": seconds}
    kept = json.loads(known.read_text("utf-8")) if known.exists() and weights.exists() else {}
    if same.items() <= kept.items():
        data = {**without_training(design), "weights": load_file(weights)}
        found = Measured(**kept["measured"])
    else:
        data = train_entry(dict(design), seed=seed, seconds=seconds)
        found = measure(data, seed=seed)
        save_file({n: w.contiguous() for n, w in data["weights"].items()}, weights)
        row = {**same, "measured": asdict(found)}
        known.write_text(json.dumps(row, indent=1) + "\n", "utf-8")
    entry = read(data)
    answer = writer(entry, entry.build(), seed)
    prompts = [language(seed).decode(row[:PROMPT]) for row in held_out(seed, 4, SHORT).tolist()]
    samples = [(prompt, answer(prompt, NEW)) for prompt in prompts]
    others = {other: facts(other) for other in DESIGNS if other != name}
    picture = plot({name: [found.facts], **others})
    (folder / "plot.svg").write_text(picture, "utf-8")
    (folder / "index.html").write_text(page(name, samples, found, picture), "utf-8")
    (folder / "report.md").write_text(report(name, design, found), "utf-8")
    return answer


def server(folder: Path, answer: Answer, port: int) -> HTTPServer:
    """Return a server, on this computer only, of the page and of ``/continue?text=…&words=…``.

    Args:
        folder: folder of the page.
        answer: continues a text.
        port: 0 for any free port.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            asked = {name: values[0] for name, values in parse_qs(url.query).items()}
            if url.path == "/":
                self._send(200, "text/html", (folder / "index.html").read_text("utf-8"))
            elif url.path == "/continue":
                try:
                    made = answer(asked.get("text", ""), int(asked.get("words", NEW)))
                    status, body = 200, {"text": asked["text"], "continued": made}
                except (ValueError, KeyError) as error:
                    status, body = 400, {"error": str(error)}
                self._send(status, "application/json", json.dumps(body))
            else:
                self._send(404, "text/plain", "there are / and /continue?text=the+fox&words=20")

        def _send(self, status: int, kind: str, text: str) -> None:
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing for each request."""

    return HTTPServer(("127.0.0.1", port), Handler)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: the arguments after "serve".

    Returns:
        The exit code: 0 on success, 1 if the design was refused.
    """
    parser = argparse.ArgumentParser(
        prog="python -m plainformer.lab.capstone serve", description=DESCRIPTION
    )
    parser.add_argument("design", help=f"one of {', '.join(DESIGNS)}, or a JSON file of a design")
    parser.add_argument("--folder", type=Path, help="of the files; default capstone-NAME")
    parser.add_argument("--seed", type=int, default=0, help="of the language; default 0")
    parser.add_argument("--seconds", type=float, default=90.0, help="of the training; default 90")
    parser.add_argument("--port", type=int, default=8017, help="of the address; default 8017")
    parser.add_argument("--write-only", action="store_true", help="write the files, and stop")
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    try:
        name, design = _design(args.design)
        folder = args.folder or Path(f"capstone-{name}")
        answer = make(name, design, folder, seed=args.seed, seconds=args.seconds)
    except (Refused, OSError, json.JSONDecodeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"Written: {folder}/index.html, plot.svg and report.md.")
    if args.write_only:
        return 0
    with server(folder, answer, args.port) as serving:
        print(f"Serving http://127.0.0.1:{serving.server_port}/ until Ctrl-C.", flush=True)
        try:
            serving.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0


def _design(named: str) -> tuple[str, dict[str, Any]]:
    if named in DESIGNS:
        return named, DESIGNS[named].design()
    design = json.loads(Path(named).read_text("utf-8"))
    read(design, weights=False)
    return Path(named).stem, design
