"""The notebooks in the repository, for tests of their common properties."""

from pathlib import Path

from plaincourse.notebooks import pairs

ROOT = Path(__file__).parents[2]
PAGES = list(pairs.pages(ROOT))
CHAPTERS = [page for page in PAGES if not pairs.is_solution(page)]
NAMES = [str(page.relative_to(ROOT).with_suffix("")) for page in PAGES]
