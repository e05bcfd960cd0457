"""Words, cells, lines and minutes of a chapter, separately for core path and deeper sections."""

from plaincourse.notebooks.counting import Count, blocks, core, deeper, practice, said

PAGE = """---
jupytext: {}
---

(ch-01)=
# A title

One two `three four` $five$ [six](sec-seven) {ref}`eight nine <ten>`.

```{code-cell} python
:tags: [setup, hide-cell]
setup = 1
```

```{code-cell} python
---
tags: [nbval-ignore-output]
---
x = 1

y = 2
```

```{code-cell} python
:tags: [hide-input]
plotting.plot(x)
```

```{admonition} Predict
:class: tip
Which?
```

## Formulas

```{figure} _static/drawings/one.svg
:alt: these words are not read
A caption.
```

$$
a + b
$$

$$ a $$

```{equation} scores
:code: scores.dot
a
```

```{interactive} widget
:alt: not read
Move it.
```

### Deeper: a section

```{code-cell} python
z = 1
```

Deep words.

### Another

## Deeper: more

$$
c
$$

## Practice

````{exercise} One
*Easy.* Say it.
````
````{exercise} Two
*Hard.* Say it.
````
"""


def test_the_core_path_is_counted_without_deeper_sections_and_practice() -> None:
    # Words: title 2, line of text 6, question 1, headings 1 and 1, caption 2, picture 2.
    assert core(PAGE) == Count(
        words=15, cells=1, lines=2, drawings=1, figures=2, formulas=3, predictions=1, pictures=1
    )


def test_deeper_sections_are_counted_by_themselves() -> None:
    assert deeper(PAGE) == Count(words=7, cells=1, lines=1, formulas=1)


def test_minutes_are_those_of_words_lines_questions_and_pictures() -> None:
    assert Count().minutes == 0
    assert Count(words=1300).minutes == 11
    assert Count(lines=120).minutes == 11
    assert Count(predictions=10).minutes == 11
    assert Count(figures=10, formulas=10).minutes == round(1.1 * 15)
    assert Count(pictures=1).minutes == 9
    assert Count(cells=35, drawings=3).minutes == 0


def test_the_practice_takes_the_minutes_of_its_levels() -> None:
    assert practice(PAGE) == 14


def test_a_sentence_gives_the_minutes_of_the_parts_that_there_are() -> None:
    assert said(PAGE, cards=18, graded=75) == (
        "Minutes that each part takes: core path 14, *Deeper* sections 1, practice 14, "
        "question cards 12, graded notebook 75."
    )
    assert said("", cards=3, graded=0) == "Minutes that each part takes: question cards 2."


def test_a_directive_that_is_not_closed_ends_with_its_page() -> None:
    assert [block.lines for block in blocks("```{figure} a.svg\nA caption")] == [["A caption"]]
