"""Where the theme needs help: what the site's address switches on, and what must not be there."""

import re
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

COLAB = "https://colab.research.google.com"


def switch_on(app: Sphinx, config: Config) -> None:
    """Show buttons only where they lead somewhere.

    `plaincourse configure` writes the repository and the site into _config.yml. Without a
    repository there is no Colab, repository or issues button; without a site no sitemap.
    """
    if config.html_theme != "sphinx_book_theme":
        return
    options = config.html_theme_options
    known = bool(options.get("repository_url"))
    options["use_repository_button"] = options["use_issues_button"] = known
    options["launch_buttons"] = {"colab_url": COLAB} if known else {}
    if config.html_baseurl:
        config.ogp_site_url = config.html_baseurl
        config.ogp_social_cards = {"enable": False}
        config.ogp_enable_meta_description = False  # page_head writes it
        config.sitemap_url_scheme = "{link}"


def no_stale_listings(app: Sphinx) -> None:
    """Remove the listings of source code of an earlier build.

    viewcode writes one again only when the source changed, not when the API page did, to which its
    lines link.
    """
    if app.builder.format == "html":
        shutil.rmtree(Path(app.outdir) / "_modules", ignore_errors=True)


def only_what_is_documented(app: Sphinx, env: Any) -> list[str]:
    """Link a listing of source code back only to names that the API page has.

    viewcode also lists what a named tuple inherits, and names that a package only passes on.
    """
    listed = getattr(env, "_viewcode_modules", {})
    listed.pop("builtins", None)
    known = env.domaindata.get("py", {}).get("objects", {})
    for module, entry in listed.items():
        if entry:
            code, tags, used, name = entry
            if any(f"{module}.{each}" in known for each in used):
                name = module  # not a package that passes some of its names on
            kept = {each: page for each, page in used.items() if f"{name}.{each}" in known}
            listed[module] = (code, tags, kept, name)
    return []


def flat_listing(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Make one list of the modules: viewcode puts lists directly into lists, which is not HTML."""
    if page == "_modules/index":
        title, _, rest = context["body"].partition("<ul>")
        context["body"] = f"{title}<ul>{re.sub('</?ul>', '', rest)}</ul>"


def without_thebe(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Leave out the scripts of sphinx-thebe.

    Nothing here uses them; they name another host, and two inline constants of one name make
    every page throw.
    """

    def is_thebe(script: Any) -> bool:
        name = str(getattr(script, "filename", script) or "")
        body = getattr(script, "attributes", {}).get("body") or ""
        return "thebe" in name or "THEBE" in body

    context["script_files"] = [s for s in context.get("script_files", []) if not is_thebe(s)]


PARAMETERS = re.compile(r"<dl>\s*((?:<dd>.*?</dd>\s*)+)</dl>", re.DOTALL)
EMPTY_HEADER = re.compile(r"<th[^>]*>\s*(<p>\s*</p>)?\s*</th>")
CORNER = re.compile(
    rf"(<thead>\s*<tr[^>]*>\s*{EMPTY_HEADER.pattern}.*?<tbody>)(.*?)(</tbody>)", re.DOTALL
)
FORMULA = r'<span class="math(?:(?!<span class="math|</td>).)*</span>'
EMPTY = rf"\s*(?:<p>)?\s*(?:{FORMULA})?\s*(?:</p>)?\s*</td>"  # for axe a formula is no word
FIRST = re.compile(rf"(<tr[^>]*>\s*)<td([^>]*)>(?!{EMPTY})(.*?)</td>", re.DOTALL)


def valid_html(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Mend what is invalid.

    Parameters are a list without terms, entries of the bibliography stand in no list, the empty
    corner of a table is a header without words while its rows have none, and a fold is named
    otherwise than it reads. All exercises of a page have one id, and so have all solutions.
    """
    body = context.get("body", "")
    body = PARAMETERS.sub(_parameters, body)
    body = body.replace('role="doc-biblioentry"', 'role="listitem"')
    body = body.replace('<summary aria-label="Toggle hidden content">', "<summary>")
    body = CORNER.sub(_row_heads, body)
    body = ALIKE.sub(r"<\1", body)
    context["body"] = EMPTY_HEADER.sub("<td></td>", body)


def _row_heads(match: re.Match[str]) -> str:
    head, _, rows, end = match.groups()
    return head + FIRST.sub(r'\1<th scope="row"\2>\3</th>', rows) + end


def _parameters(match: re.Match[str]) -> str:
    inner = match[1].replace("<dd>", '<div class="sig-parameter">').replace("</dd>", "</div>")
    return f'<div class="sig-parameters">{inner}</div>'


ALIKE = re.compile(r'<(section|div) id="(?:exercise|solution)-content"')
FOLD = re.compile(r"(>([^<]+)</a>\s*<details[^>]*><summary)(?=>)")


def named_folds(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Say whose pages a fold of the contents holds: the theme draws an arrow without a word."""
    listed = context.get("generate_toctree_html")
    if listed:
        context["generate_toctree_html"] = lambda *given, **more: FOLD.sub(
            r'\1 aria-label="Pages of \2"', str(listed(*given, **more))
        )


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the fixes; load what only a site with an address can use."""
    if app.config.html_baseurl:
        app.setup_extension("sphinx_sitemap")
        app.setup_extension("sphinxext.opengraph")
    app.connect("config-inited", switch_on, priority=400)
    app.connect("env-updated", only_what_is_documented, priority=900)
    app.connect("html-page-context", flat_listing)
    app.connect("builder-inited", no_stale_listings)
    app.connect("html-page-context", without_thebe, priority=900)
    app.connect("html-page-context", valid_html, priority=900)
    app.connect("html-page-context", named_folds, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
