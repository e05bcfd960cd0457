"""The settings are in one file, readable from anywhere in the course; invalid ones are refused."""

from pathlib import Path

import pytest

from plaincourse.settings import Settings, SettingsError, load, root

ANN = Settings(owner="ann-lee", name="course", branch="v0.1.0")


def course(folder: Path, *lines: str) -> Path:
    text = "\n".join(["[project]", 'name = "x"', "[tool.plaincourse]", *lines])
    (folder / "pyproject.toml").write_text(text)
    return folder


def test_addresses_follow_from_owner_name_and_branch():
    page = "book/03-masks.ipynb"
    assert ANN.repository == "https://github.com/ann-lee/course"
    assert ANN.source_url(page) == f"https://github.com/ann-lee/course/blob/v0.1.0/{page}"
    assert ANN.colab_url(page) == (
        f"https://colab.research.google.com/github/ann-lee/course/blob/v0.1.0/{page}"
    )
    assert ANN.pip_spec == (
        "plainformer[notebook] @ git+https://github.com/ann-lee/course.git@v0.1.0"
    )


@pytest.mark.parametrize(
    ("settings", "address"),
    [
        (ANN, "https://ann-lee.github.io/course/"),
        (Settings(owner="Ann", name="ann.github.io"), "https://ann.github.io/"),
        (Settings(owner="ann", site="https://example.org/c"), "https://example.org/c/"),
        (Settings(site="https://example.org/c/"), "https://example.org/c/"),
        (Settings(), ""),
    ],
)
def test_the_site_is_the_one_set_or_githubs_own(settings, address):
    assert settings.site_url == address


def test_without_an_owner_no_address_is_made_up():
    unknown = Settings()
    assert unknown.repository == unknown.pip_spec == ""
    assert unknown.colab_url("x.ipynb") == unknown.source_url("x.py") == ""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("owner", "-ann"),
        ("owner", "ann-"),
        ("owner", "a--b"),
        ("owner", "ann/course"),
        ("owner", "x" * 40),
        ("owner", "https://github.com/ann"),
        ("owner", 3),
        ("name", ""),
        ("name", "my course"),
        ("name", ".."),
        ("name", "course.git"),
        ("branch", ""),
        ("branch", "a..b"),
        ("branch", "a b"),
        ("branch", "-x"),
        ("branch", "x/"),
        ("branch", "x.lock"),
        ("branch", "x@{1}"),
        ("site", "example.org"),
        ("site", "javascript:alert(1)"),
        ("site", 'https://example.org/"'),
        ("site", "https://example.org/\n"),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_name(name, value):
    with pytest.raises(SettingsError, match=f"^{name}=.*expected"):
        Settings(**{name: value})


@pytest.mark.parametrize("branch", ["main", "v1.2.3", "feature/x", "release-2026", "a_b"])
def test_branches_that_git_allows_are_taken(branch):
    assert Settings(branch=branch).branch == branch


def test_settings_are_found_from_a_folder_below(tmp_path):
    inner = course(tmp_path, 'owner = "ann"') / "book" / "cards"
    inner.mkdir(parents=True)
    assert root(inner) == tmp_path
    assert load(inner) == Settings(owner="ann")


def test_a_pyproject_of_another_project_is_passed_over(tmp_path):
    inner = course(tmp_path) / "other"
    inner.mkdir()
    (inner / "pyproject.toml").write_text("[project]\nname = 'other'\n")
    assert root(inner) == tmp_path


def test_outside_a_course_the_error_says_where_to_go(tmp_path):
    with pytest.raises(SettingsError, match=r"not inside the course.*Change to the repository"):
        load(tmp_path)


def test_an_unknown_setting_is_refused_with_the_known_ones(tmp_path):
    course(tmp_path, 'ower = "ann"')
    with pytest.raises(SettingsError, match="has 'ower'; expected only owner, name, branch, site"):
        load(tmp_path)


def test_a_bad_value_names_the_file(tmp_path):
    course(tmp_path, 'owner = "a b"')
    with pytest.raises(SettingsError, match=r"pyproject\.toml: \[tool\.plaincourse\] owner='a b'"):
        load(tmp_path)


def test_a_broken_file_names_itself(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.plaincourse\n")
    with pytest.raises(SettingsError, match=r"pyproject\.toml is not valid TOML"):
        load(tmp_path)
