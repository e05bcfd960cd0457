"""A saved copy works, and a page without scripts keeps its colours; tested on small projects."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
esbuild = pytest.mark.skipif(
    not shutil.which("esbuild", path=str(ROOT / "node_modules" / ".bin")),
    reason="esbuild is not installed: run `npm ci`",
)


@pytest.fixture
def bundled(project):
    project.change("conf.py", '"numbering"', '"numbering", "classic_scripts"')
    widgets = project.folder / "static" / "widgets"
    (widgets / "spinner.js").write_text('import { turns } from "./wheel.js";\nalert(turns);')
    (widgets / "wheel.js").write_text("export const turns = [1234567];")
    return project


def bundle(project) -> str:
    return (project.folder / "out/html/_static/bundles/widgets.spinner.js").read_text()


@esbuild
def test_a_page_has_one_classic_script_for_its_modules(bundled):
    assert bundled.build() == ""
    page = bundled.page("03-second")
    assert re.search(
        r'<script defer="defer" src="_static/bundles/widgets\.spinner\.js\?v=\w+"></script>', page
    )
    assert 'type="module"' not in page
    assert "spinner.js" not in bundled.page("02-first")
    assert "1234567" in bundle(bundled)
    assert not re.search(r"\b(import|export)\b", bundle(bundled))


@esbuild
def test_a_worker_is_a_script_of_its_own_which_no_page_loads(bundled):
    worker = bundled.folder / "static" / "widgets" / "spinner.worker.js"
    worker.write_text('import { turns } from "./wheel.js";\npostMessage(turns);')
    assert bundled.build() == ""
    assert "worker" not in bundled.page("03-second")
    made = bundled.folder / "out/html/_static/bundles/widgets.spinner.worker.js"
    assert "1234567" in made.read_text()
    assert not re.search(r"\bimport\b", made.read_text())


@esbuild
def test_modules_of_one_folder_share_one_script_and_so_their_state(bundled):
    bundled.change("03-second.md", "Turn it", "Turn it\n```\n\n```{interactive} other\n:alt: It.\n")
    other = bundled.folder / "static" / "widgets" / "other.js"
    other.write_text('import { turns } from "./wheel.js";\nprompt(turns);')
    assert bundled.build() == ""
    assert "bundles/widgets.other+spinner.js" in bundled.page("03-second")
    made = bundled.folder / "out/html/_static/bundles/widgets.other+spinner.js"
    assert made.read_text().count("1234567") == 1


@esbuild
def test_a_module_that_changes_is_bundled_again_though_its_page_is_not_written(bundled):
    bundled.build()
    wheel = bundled.folder / "static" / "widgets" / "wheel.js"
    wheel.write_text("export const turns = [7654321];")
    later = wheel.stat().st_mtime + 5
    os.utime(wheel, (later, later))
    assert bundled.build() == ""
    assert "7654321" in bundle(bundled)


@esbuild
def test_what_esbuild_cannot_find_fails_the_build(bundled):
    (bundled.folder / "static" / "widgets" / "wheel.js").unlink()
    assert re.search(r'could not bundle widgets/spinner\.js(.|\n)*"\./wheel\.js"', bundled.build())


def palette(*sheets):
    sys.path.append(str(ROOT / "book" / "_ext"))
    import without

    light, dark = without.palette(sheets).split("@media screen and (prefers-color-scheme: dark)")
    return [" ".join(half.split()) for half in (light, dark)]


def test_rules_for_light_and_dark_are_written_for_auto_under_the_readers_wish():
    light, dark = palette(
        'html[data-theme="light"] { --ink: #000 } html[data-theme=dark]{--ink:#fff}',
        "p { color: red }",
    )
    assert (
        light
        == '@media print, (prefers-color-scheme: light) { html[data-theme="auto"]{--ink: #000} }'
    )
    assert dark == '{ html[data-theme="auto"]{--ink:#fff} }'


def test_what_holds_for_any_theme_still_comes_after_what_it_changes():
    light, dark = palette("[data-theme=dark] { top: 1 } html[data-theme] { top: 2 }")
    assert light.endswith('{ html[data-theme="auto"]{top: 2} }')
    assert dark == '{ [data-theme="auto"]{top: 1} html[data-theme="auto"]{top: 2} }'


def test_of_a_list_of_selectors_those_of_the_theme_are_taken_commas_in_brackets_or_not():
    _, dark = palette(
        'a, html[data-theme="dark"] img:not(.x, .y), [data-theme="dark"] b { color: red }'
    )
    assert dark == '{ html[data-theme="auto"] img:not(.x, .y),[data-theme="auto"] b{color: red} }'


def test_conditions_stay_around_their_rules_and_empty_ones_go():
    _, dark = palette(
        "@media (max-width: 3rem) { i { top: 0 } }",
        "@supports (top: 0) { [data-theme=dark] { top: 1 } }",
    )
    assert dark == '{ @supports (top: 0) { [data-theme="auto"]{top: 1} } }'


def test_what_holds_unless_a_page_is_dark_is_not_taken_for_dark():
    _, dark = palette("html:not([data-theme=dark]) { top: 0 }")
    assert dark == "{ }"
