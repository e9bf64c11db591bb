"""The terms of the field: glossary.toml beside course.toml, which a course may do without.

    [[term]]
    name = "all-reduce"
    also = ["allreduce"]           # other names under which it is looked up
    step = "ring-collectives"      # the step that defines it
    text = "A collective after which every rank holds the sum of all arrays."

Figures stand between double braces, as in a lesson.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tutor.course import inline
from tutor.course.fields import Fields, toml
from tutor.course.model import Place, Term
from tutor.course.parse import read_text

GLOSSARY_FILE = "glossary.toml"


def read_glossary(folder: Path) -> tuple[Term, ...]:
    """The terms of the course in `folder`, in the order of the file; none without a file. Raises CourseError."""
    file = folder / GLOSSARY_FILE
    try:
        if not file.exists():
            return ()
    except OSError:
        pass  # Reading it says why
    text = read_text(file)
    # The file has no fence before its first line, hence line 0
    fields = Fields(toml(text, file, 1), GLOSSARY_FILE, Place(file, 0), text)
    terms = []
    for number, table in enumerate(fields.tables("term")):
        place = Place(file, fields.table_line("term", number))
        entry = Fields(table, f"term {number + 1}", place)
        name = entry.text("name", required=True)
        terms.append(
            Term(
                name=name,
                also=entry.texts("also"),
                text=entry.text("text", required=True),
                step=entry.text("step", required=True),
                place=place,
            )
        )
        entry.done()
    fields.done()
    return tuple(terms)


def definition(term: Term) -> str:
    """What the term means, its figures filled in. Raises CourseError."""
    return inline.expand(term.text, term.place)


def same_name(name: str) -> str:
    """`name` as it is compared: however it is written, one or several of them.

    >>> same_name("All Reduces") == same_name("all-reduce")
    True
    """
    plain = "".join(sign for sign in name.casefold() if sign.isalnum())
    if plain.endswith(("ches", "shes", "xes", "sses")):
        return plain[:-2]
    return plain[:-1] if plain.endswith("s") and not plain.endswith("ss") else plain


def find_term(terms: Iterable[Term], name: str) -> Term | None:
    """The term that is called `name`, by any of its names."""
    wanted = same_name(name)
    return next((term for term in terms if wanted in map(same_name, (term.name, *term.also))), None)
