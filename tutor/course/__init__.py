"""Lesson files read into lessons, steps, questions and exercises.

A course is a folder with a `course.toml` (`title`, `lessons` in order, and `[misconceptions]`, id = "belief")
and a folder a lesson with its `lesson.md`:

    +++
    id = "ring"                      # the name of the folder
    title = "The ring"
    about = "One sentence for the home screen."
    minutes = 25
    needs = ["collectives"]
    +++
    ## A step, one screen {#its-id}
    Markdown, with figures that the engine gives: {{ring.bytes_sent workers=3 bytes=24 | B}}.

A step holds prose, at most one live picture, and at most one question or exercise, as fenced blocks of TOML
in any order:

- ```` ```live ID ````: `show` (a topic of `show`), `step` (where it opens, 0), and the topic's parameters.
- ```` ```ask ID ````: `kind`, `prompt`, `answer`, `hints`, `why`, and two or more `[[wrong]]` with `is`,
  `misconception`, `say` (and `at`, the cell, for tables and grids).

  | kind | answer | is |
  |---|---|---|
  | number | an expression | an expression |
  | choice | an option's id | an option's id |
  | choices | ids with commas | ids that are ticked; with ! ids that are not |
  | order | all ids in order | ids that come in this order |
  | table, grid | none: `live` and `cells` (`"step=1"`, all as it opens by default) | an expression; an operation |

  Also `unit` (GB, B, s, %, x, or a noun such as steps), `tolerance` (a share, 0.005), `options` (`id`, `text`;
  shuffled unless `in_order = true`), `live` (the picture that `cell …` speaks of), `given` and `vary` (variables,
  fixed or one of a list) and `live_with` (parameters of the picture that a member sets).
- ```` ```code ID ````: `title`, `prompt`, `hints`, `why`; its files are in `exercises/ID/`.

Expressions (`tutor.course.expressions`) come out in base units: bytes, seconds, shares of 1; `tutor.units` lists the
formats. They stand in answers and, between double braces, in every text, but never inside code.

Beside course.toml there may be a `glossary.toml` (`tutor.course.glossary`): then bold in prose is for its terms, and
what is stressed stands in italics. And a `published.toml` (`tutor.course.published`): ids that have to stay.

The final examination, `examination = "its-folder"` in course.toml, is written in the same way in that folder's
`problems.md`: every step holds one question, a family of a dozen members or more without hints, and its `back`
lists the steps that teach it, first the one to return to.
"""
