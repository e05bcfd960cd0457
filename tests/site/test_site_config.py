"""The site's configuration, tested without a build."""

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).parents[2]


def configured(**values):
    """Run the theme's switches on a configuration, as Sphinx does."""
    sys.path.append(str(ROOT / "book" / "_ext"))
    import theme_fixes

    config = SimpleNamespace(html_theme="sphinx_book_theme", html_baseurl="", html_theme_options={})
    vars(config).update(values)
    theme_fixes.switch_on(None, config)
    return config


def test_without_a_repository_there_is_no_button_that_leads_nowhere():
    options = configured().html_theme_options
    assert options["launch_buttons"] == {}
    assert not options["use_repository_button"]
    assert not options["use_issues_button"]


def test_with_a_repository_each_notebook_opens_in_colab():
    options = {"repository_url": "https://example.org/someone/plainformer"}
    options = configured(html_theme_options=options).html_theme_options
    assert options["launch_buttons"]["colab_url"].startswith("https://colab.")
    assert options["use_repository_button"]


def test_a_site_with_an_address_gives_it_to_those_who_link():
    assert configured(html_baseurl="https://example.org/course/").ogp_site_url.endswith("/course/")
    assert not hasattr(configured(), "ogp_site_url")


def test_every_public_module_is_on_an_api_page():
    page = "".join(path.read_text() for path in (ROOT / "book" / "api").glob("*.md"))
    for path in sorted((ROOT / "src" / "plainformer").rglob("*.py")):
        name = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
        if path.name != "__init__.py":
            assert re.search(rf"auto(module|function):: {re.escape(name)}\b", page), name


def test_the_lock_of_npm_names_no_registry():
    lock = json.loads((ROOT / "package-lock.json").read_text())
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert packages
    assert [name for name, entry in packages.items() if "resolved" in entry] == []
    assert all(entry["integrity"].startswith("sha512-") for entry in packages.values())


def test_only_the_sites_own_scripts_are_declared_modules():
    # Node uses the nearest package.json above a script: for JupyterLab's, in .venv, the root's.
    assert "type" not in json.loads((ROOT / "package.json").read_text())
    assert json.loads((ROOT / "book/_static/package.json").read_text()) == {"type": "module"}
