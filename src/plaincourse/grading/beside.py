"""Copy the files that were submitted next to a notebook to the folder in which it runs.

A notebook may be larger than other files, because its outputs are skipped. A notebook next to the
graded one, such as an older copy or a helper, must not cost the submission its grade by its length.
"""

from collections.abc import Collection
from pathlib import Path

from plaincourse.grading import files
from plaincourse.grading.long_notebooks import RefusedError, megabytes


def copy_files(found: files.Files, folder: Path, *, without: Collection[str]) -> None:
    """Copy files below a folder; files that are too large are refused by name.

    Args:
        found: the files of a submission; changed in place if one is refused.
        folder: an existing folder of ours.
        without: names that are not copied.
    """
    for name, path in list(found.files.items()):
        if name in without:
            continue
        try:
            files.write_file(folder, name, _content(path))
        except RefusedError as error:
            found.refused[name] = str(error)
            del found.files[name]


def bring_up(found: files.Files, folder: Path, below: str, *, without: Collection[str]) -> None:
    """Copy the files next to a notebook in a submission's subfolder to where the notebook runs.

    Args:
        found: the files of the submission.
        folder: the folder with their copies.
        below: the folder in the submission that holds the notebook.
        without: names that are not overwritten, in small letters.
    """
    here = {name: folder / name for name in found.files if (folder / name).is_file()}
    crowded = sum(path.lstat().st_size for path in here.values()) > files.TOTAL // 4
    for name, path in here.items():
        inner = name.removeprefix(f"{below}/")
        place = folder / inner
        taken = place.is_dir() or any(above.is_file() for above in place.parents)
        if inner == name or inner.casefold() in without or taken:
            continue
        files.write_file(folder, inner, path.read_bytes())
        if crowded:  # two copies might not fit into the sandbox
            path.unlink()


def _content(path: Path) -> bytes:
    """Return the content of a file; for a long notebook, all but its outputs."""
    limit = files.LARGEST
    if not files.is_notebook(path.name) or path.lstat().st_size <= limit:
        return files.read_file(path)
    content = files.read_notebook(path, limit=limit)
    if len(content) > limit:
        size = megabytes(path.lstat().st_size, limit)
        raise RefusedError(f"it has {size}, and is not a notebook whose outputs could be skipped")
    return content
