"""A picture as a file in the learner's folder, under a name that nothing has yet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tutor.app.learner_file import NotSaved, short

if TYPE_CHECKING:
    from tutor.views.palette import Background
    from tutor.views.picture import Picture

_NAMES = 1000


def save_picture(
    picture: Picture, folder: Path, stem: str, *, title: str, caption: str, background: Background = "dark"
) -> Path:
    """Writes the picture as an SVG and returns its file, `STEM.svg` or the first `STEM-N.svg` that is free.

    Raises NotSaved; what is there is never written over.
    """
    from tutor.views.svg import svg

    drawing = svg(picture, title=title, caption=caption, background=background)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(1, _NAMES):
            file = folder / f"{stem}{f'-{number}' if number > 1 else ''}.svg"
            try:
                # "x" and not a look first: it follows no link, and two windows may save at once
                with file.open("x", encoding="utf-8") as out:
                    out.write(drawing)
            except FileExistsError:
                continue
            return file
    except OSError as error:
        raise NotSaved(f"{short(folder)} cannot take the picture: {error.strerror or error}") from None
    raise NotSaved(f"{short(folder)} holds {_NAMES - 1} pictures called {stem}")
