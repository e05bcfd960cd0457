"""The page's style: one column, light and dark, down to the width of a phone."""

from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]


def _code(style: str) -> str:
    """Return the colours of code, without the background and line numbers that come with them."""
    lines = HtmlFormatter(style=style, classprefix="p-").get_style_defs(".code").split("\n")
    return "".join(line for line in lines if ".p-" in line)


STYLE = f"""
:root {{
  color-scheme: light dark;
  --ground: #fff; --ink: #1c1f24; --soft: #59616c; --line: #d3d8df; --panel: #fafbfc;
  --link: #0b57a4; --full: #1c6b3f; --some: #8a5200; --none: #b02a1c; --waits: #4b3f8f;
}}
@media (prefers-color-scheme: dark) {{
  :root {{
    --ground: #16181c; --ink: #e4e7eb; --soft: #a4adb8; --line: #3a4049; --panel: #20242a;
    --link: #84b9f5; --full: #6fcb97; --some: #e8b15c; --none: #ff9d8f; --waits: #b9aef5;
  }}
}}
* {{ box-sizing: border-box; }}
body {{
  margin: 0 auto; max-width: 54rem; padding: 1.5rem clamp(.8rem, 4vw, 2rem) 4rem;
  background: var(--ground); color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  overflow-wrap: break-word;
}}
h1 {{ font-size: 1.7rem; line-height: 1.25; margin: 0 0 1rem; }}
h2 {{ font-size: 1.35rem; margin: 2.5rem 0 .8rem; padding-bottom: .2rem;
  border-bottom: 1px solid var(--line); }}
h3 {{ font-size: 1.15rem; margin: 2rem 0 .5rem; }}
h4, h5, h6 {{ font-size: 1rem; margin: 1.2rem 0 .4rem; }}
a {{ color: var(--link); }}
a:focus-visible, pre:focus-visible, summary:focus-visible {{
  outline: 2px solid var(--link); outline-offset: 2px;
}}
img {{ max-width: 100%; height: auto; background: #fff; border-radius: .3rem; }}
pre, code {{ font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .9em; }}
pre {{ margin: .5rem 0; padding: .7rem .9rem; overflow-x: auto; line-height: 1.45;
  background: var(--panel); border: 1px solid var(--line); border-radius: .35rem; }}
pre.out, pre.error {{ background: none; border: 0; border-left: .25rem solid var(--line);
  border-radius: 0; }}
pre.error {{ border-color: var(--none); }}
summary {{ cursor: pointer; }}
table {{ border-collapse: collapse; margin: .8rem 0; }}
th, td {{ padding: .35rem .7rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }}
table.points {{ width: 100%; }}
table.points th[scope=row] {{ font-weight: 400; }}
caption {{ text-align: left; color: var(--soft); padding-bottom: .3rem; }}
.total {{ font-size: 1.25rem; margin: .3rem 0 1rem; }}
.full td, p.full {{ color: var(--full); }}
.some td, p.some {{ color: var(--some); }}
.none td, p.none {{ color: var(--none); }}
.waits td, p.waits {{ color: var(--waits); }}
p.points {{ font-weight: 600; margin: 0 0 .4rem; }}
.cell {{ margin: 1rem 0; scroll-margin-top: 1rem; }}
.answer {{ border-left: .25rem solid var(--link); padding-left: .8rem; }}
.graded {{ border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem; }}
.rich {{ overflow-x: auto; }}
.verdict {{ border-left: .25rem solid var(--none); padding: .2rem .9rem; }}
.comment p {{ display: inline; }}
.comment {{ border-left: .25rem solid var(--waits); padding: .2rem .9rem; margin: .8rem 0; }}
.aside {{ color: var(--soft); }}
blockquote {{ margin: .8rem 0; padding-left: 1rem; border-left: .25rem solid var(--line); }}
@media (max-width: 30rem) {{
  body {{ padding-bottom: 2rem; }}
  .graded {{ padding: .6rem .6rem; }}
  th, td {{ padding: .35rem .4rem; }}
}}
@media print {{ details > * {{ display: block; }} pre {{ white-space: pre-wrap; }} }}
{_code("default")}
@media (prefers-color-scheme: dark) {{ {_code("github-dark")} }}
"""
