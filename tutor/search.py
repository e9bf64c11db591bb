"""Finds words in a course: its terms, lessons, steps and exercises, and the quantities and pictures of the engine.

What would give an answer away (the reasons, hints and replies of questions) is not searched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

from tutor.course.glossary import definition, same_name
from tutor.course.model import Course, CourseError, Exercise, Lesson, Prose, Step, Term

TERM, LESSON, STEP, EXERCISE, QUANTITY, PICTURE = "term", "lesson", "step", "exercise", "quantity", "picture"
_BEFORE = {TERM: 6, LESSON: 5, STEP: 4, EXERCISE: 3, QUANTITY: 2, PICTURE: 1}  # of hits that are equally good
_MOST = 50
_LONGEST = 160  # characters of a sentence that is shown
_WORD = re.compile(r"[^\W_]+(?:[-_.][^\W_]+)*")
_FIGURE = re.compile(r"\{\{.*?\}\}", re.S)
_MARKS = re.compile(r"[*`]")


@dataclass(frozen=True)
class Hit:
    """Something that has all the words, with the step that it leads to."""

    kind: str
    name: str  # a term, a title, a quantity's or topic's name
    text: str  # a definition, the sentence that has the words, a formula; figures filled in
    where: str  # "The ring, step 3 of 14: The first step", or what to type
    lesson: str  # ids; empty where no step is about it
    step: str
    also: tuple[str, ...] = ()  # a term's other names


@dataclass(frozen=True)
class _Entry:
    """One thing that can be found: its names weigh more than what is said of it."""

    kind: str
    name: str
    names: tuple[str, ...]  # in small letters; ids and other names too
    said: str  # in small letters
    lesson: Lesson | None
    step: Step | None
    of: object = None  # the term, quantity or topic

    def score(self, words: Sequence[str], phrase: str) -> int:
        """How well it fits, 0 where a word is missing."""
        total = 0
        for word in words:
            # Who asks for batches means a batch too
            found = self._weight(word) or self._weight(_singular(word))
            if not found:
                return 0
            total += found
        if any(same_name(phrase) == same_name(name) for name in self.names):
            total += 200
        elif phrase in self.said:
            total += 40 if len(words) > 1 else 4
        return total

    def _weight(self, word: str) -> int:
        return max((_named(word, name) for name in self.names), default=0) or _said(word, self.said)


class Search:
    """A course made ready to be searched, as often as keys are typed."""

    def __init__(self, course: Course, terms: Sequence[Term]) -> None:
        self._course = course
        self._terms = terms
        self._shown: dict[str, str] = {}

    def find(self, text: str, most: int = _MOST) -> list[Hit]:
        """What has all the words of `text`, best first."""
        words = _words(text)
        if not words:
            return []
        phrase = " ".join(words)
        scored = ((entry.score(words, phrase), number, entry) for number, entry in enumerate(self._entries))
        best = sorted(
            (found for found in scored if found[0]), key=lambda found: (-found[0], -_BEFORE[found[2].kind], found[1])
        )
        return [self._hit(entry, words) for _, _, entry in best[:most]]

    def terms(self, lesson: Lesson | None = None, step: Step | None = None) -> tuple[list[Hit], int]:
        """All terms from A to Z, those of a step before them; and how many those are."""
        first = terms_of(self._terms, lesson, step) if lesson and step else []
        others = sorted((term for term in self._terms if term not in first), key=lambda term: term.name.casefold())
        entries = {id(entry.of): entry for entry in self._of_terms()}
        return [self._hit(entries[id(term)], ()) for term in (*first, *others)], len(first)

    def near(self, text: str) -> list[str]:
        """Names that are spelt nearly so."""
        known = {name: entry.name for entry in self._entries for name in entry.names}
        close = get_close_matches(" ".join(_words(text)), known, n=5, cutoff=0.6)
        return list(dict.fromkeys(known[name] for name in close))[:3]

    @cached_property
    def _entries(self) -> list[_Entry]:
        return [*self._of_terms(), *self._of_lessons(), *self._of_quantities(), *self._of_topics()]

    def _of_terms(self) -> Iterator[_Entry]:
        for term in self._terms:
            lesson, step = self._course.find_step(term.step) or (None, None)
            names = tuple(name.lower() for name in (term.name, *term.also))
            yield _Entry(TERM, term.name, names, _plain(term.text).lower(), lesson, step, term)

    def _of_lessons(self) -> Iterator[_Entry]:
        for lesson in self._course.lessons:
            names = (lesson.title.lower(), lesson.id.lower())
            yield _Entry(LESSON, lesson.title, names, _plain(lesson.about).lower(), lesson, lesson.steps[0])
            for step in lesson.steps:
                said = [block.text for block in step.blocks if isinstance(block, Prose)]
                if step.question:
                    said.append(step.question.prompt)
                if step.exercise:
                    names = (step.exercise.id.lower(), step.exercise.title.lower())
                    prompt = _plain(step.exercise.prompt).lower()
                    yield _Entry(EXERCISE, step.exercise.id, names, prompt, lesson, step)
                yield _Entry(STEP, step.title, (step.title.lower(),), _plain("\n\n".join(said)).lower(), lesson, step)

    def _of_quantities(self) -> Iterator[_Entry]:
        from simlib import quantities

        for name in quantities.names():
            quantity = quantities.quantity(name)
            arguments = " ".join(parameter.name for parameter in quantity.parameters)
            names = (name.lower(), name.replace("_", " ").replace(".", " ").lower())
            said = f"{quantity.help} {quantity.formula} {arguments} {quantity.source}".lower()
            lesson, step = self._first_step_with(name)
            yield _Entry(QUANTITY, name, names, said, lesson, step, quantity)

    def _of_topics(self) -> Iterator[_Entry]:
        from tutor.views.topics import TOPICS

        for topic in TOPICS.values():
            drawn = (
                (lesson, step)
                for lesson in self._course.lessons
                for step in lesson.steps
                if step.live and step.live.topic == topic.name
            )
            lesson, step = next(drawn, (None, None))
            said = " ".join(parameter.help for parameter in topic.parameters).lower()
            yield _Entry(PICTURE, topic.name, (topic.name.lower(), topic.title.lower()), said, lesson, step, topic)

    def _first_step_with(self, name: str) -> tuple[Lesson, Step] | tuple[None, None]:
        """The first step that says or asks for a quantity."""
        wanted = re.compile(rf"\b{re.escape(name)}\b")
        found = ((lesson, step) for lesson, step, text in self._sources if name in text and wanted.search(text))
        return next(found, (None, None))

    @cached_property
    def _sources(self) -> list[tuple[Lesson, Step, str]]:
        """What each step says and asks, as it is written."""
        sources = []
        for lesson in self._course.lessons:
            for step in lesson.steps:
                said = [block.text for block in step.blocks if isinstance(block, Prose)]
                said += [step.question.prompt, step.question.answer] if step.question else []
                sources.append((lesson, step, "\n".join(said)))
        return sources

    # What is shown of a hit

    def _hit(self, entry: _Entry, words: Sequence[str]) -> Hit:
        return Hit(
            entry.kind,
            entry.name,
            self._text(entry, words),
            self._where(entry),
            entry.lesson.id if entry.lesson else "",
            entry.step.id if entry.step else "",
            other_names(entry.of) if isinstance(entry.of, Term) else (),
        )

    def _text(self, entry: _Entry, words: Sequence[str]) -> str:
        from simlib.quantities import Quantity
        from tutor.views.scene import Topic

        if isinstance(entry.of, Term):
            return shown_definition(entry.of)
        if isinstance(entry.of, Quantity):
            arguments = "".join(f" {each.name}=…" for each in entry.of.parameters if each.required)
            return f"{entry.of.help} On the command line: calc {entry.name}{arguments}"
        if isinstance(entry.of, Topic):
            return f"{entry.of.title}. On the command line: show {entry.name}"
        assert entry.lesson is not None
        assert entry.step is not None
        if entry.kind == LESSON:
            return _plain(entry.lesson.about)
        if entry.kind == EXERCISE and entry.step.exercise:
            return sentence_with(words, _plain(self._asked(entry.step.exercise)))
        return sentence_with(words, self._said(entry.step))

    def _said(self, step: Step) -> str:
        """A step's prose and question as they are read; kept, since it is looked at key by key."""
        if step.id not in self._shown:
            from tutor.answers import texts

            try:
                said = [texts.prose(self._course, step, block) for block in step.blocks if isinstance(block, Prose)]
                said += [texts.prompt(self._course, step.question)] if step.question else []
            except CourseError:
                said = [block.text for block in step.blocks if isinstance(block, Prose)]
            self._shown[step.id] = _plain("\n\n".join(said))
        return self._shown[step.id]

    def _asked(self, exercise: Exercise) -> str:
        from tutor.answers import texts

        try:
            return texts.exercise_text(exercise, exercise.prompt)
        except CourseError:
            return exercise.prompt

    def _where(self, entry: _Entry) -> str:
        if entry.lesson is None or entry.step is None:
            return ""
        if entry.kind == LESSON:
            return f"lesson, {len(entry.lesson.steps)} steps"
        return place_of(entry.lesson, entry.step)


def place_of(lesson: Lesson, step: Step) -> str:
    """A step as one would tell somebody where it is."""
    return f"{lesson.title}, step {lesson.steps.index(step) + 1} of {len(lesson.steps)}: {step.title}"


def shown_definition(term: Term) -> str:
    """A term's definition; one whose figures cannot be computed as it is written."""
    try:
        return " ".join(definition(term).split())
    except CourseError:
        return " ".join(term.text.split())


def other_names(term: Term) -> tuple[str, ...]:
    """The names of a term that are not just another spelling of it."""
    return tuple(name for name in term.also if same_name(name) != same_name(term.name))


def terms_of(terms: Sequence[Term], lesson: Lesson, step: Step) -> list[Term]:
    """The terms that a step speaks of: those it defines, then those of its prose in the order of appearance."""
    said = _plain("\n".join(block.text for block in step.blocks if isinstance(block, Prose)))
    said += f"\n{step.title}\n{step.question.prompt if step.question else ''}"
    said = " ".join(said.lower().split())

    def first(term: Term) -> int:
        at = [_at_word(name.lower(), said) for name in (term.name, *term.also)]
        return min((place for place in at if place >= 0), default=-1)

    own = [term for term in terms if term.step == step.id]
    places = sorted((place, number) for number, term in enumerate(terms) if (place := first(term)) >= 0)
    return list(dict.fromkeys([*own, *(terms[number] for _, number in places)]))


def sentence_with(words: Sequence[str], text: str) -> str:
    """The sentence of `text` that has most of the words, shortened to a few lines; the first one if none has any.

    >>> sentence_with(["chunk"], "Workers stand in a ring. Each sends a chunk. It is added.")
    'Each sends a chunk.'
    """
    sentences = [" ".join(part.split()) for part in re.split(r"(?<=[.:?!])\s+(?=[A-Z(])|\n\s*\n|\n\s*[-|] ?", text)]
    sentences = [sentence for sentence in sentences if sentence]
    if not sentences:
        return ""
    best = max(sentences, key=lambda sentence: sum(word in sentence.lower() for word in words))
    if len(best) <= _LONGEST:
        return best
    at = min((place for word in words if (place := best.lower().find(word)) >= 0), default=0)
    start = max(0, min(at - _LONGEST // 3, len(best) - _LONGEST))
    cut = best[start : start + _LONGEST]
    return f"{'…' if start else ''}{cut.strip()}{'…' if start + _LONGEST < len(best) else ''}"


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def _plain(text: str) -> str:
    """Text without the marks of Markdown, and without figures that are yet to be computed."""
    return _MARKS.sub("", _FIGURE.sub("…", text))


def _at_word(word: str, text: str) -> int:
    """Where `word` stands in `text` as a word or in the plural, or -1."""
    found = re.search(rf"(?<![\w-]){re.escape(word)}(?:s|es)?(?![\w])", text)
    return found.start() if found else -1


def _named(word: str, name: str) -> int:
    if word not in name:
        return 0
    if word == name:
        return 60
    if name.startswith(word):
        return 40
    return 30 if _at_word(word, name) >= 0 else 20 if re.search(rf"(?<!\w){re.escape(word)}", name) else 10


def _said(word: str, text: str) -> int:
    if word not in text:
        return 0
    return 6 if _at_word(word, text) >= 0 else 4 if re.search(rf"(?<!\w){re.escape(word)}", text) else 1
