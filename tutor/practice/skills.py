"""Everything of a course that can be practised, and a problem for each."""

from __future__ import annotations

import random
from functools import cached_property

from tutor.course.model import ASK, Course
from tutor.practice import fresh, pictures, quantities
from tutor.practice.problem import Problem, Skill


class Skills:
    """The skills of one course, in its order: its questions that have more than one form, quantities, pictures."""

    def __init__(self, course: Course) -> None:
        self.course = course

    @cached_property
    def all(self) -> tuple[Skill, ...]:
        """Every skill."""
        asked = []
        for lesson in self.course.lessons:
            for step in lesson.steps:
                if step.holds((ASK,)) and step.question and fresh.can_be_fresh(self.course, step.question):
                    asked.append(Skill(f"question:{step.question.id}", lesson, step))
        found = [*asked, *pictures.skills(self.course), *quantities.skills(self.course)]
        place = {lesson.id: number for number, lesson in enumerate(self.course.lessons)}
        return tuple(sorted(found, key=lambda skill: place[skill.lesson.id]))

    @cached_property
    def by_id(self) -> dict[str, Skill]:
        """The skills by their ids."""
        return {skill.id: skill for skill in self.all}

    @cached_property
    def beliefs(self) -> dict[str, frozenset[str]]:
        """What the wrong answers of each skill can show; of its question too, by the question's id."""
        found: dict[str, frozenset[str]] = {}
        for skill in self.all:
            kind, _, name = skill.id.partition(":")
            question = skill.step.question if kind == "question" else None
            if question is None:
                question = self.problem(skill, random.Random(0)).question
            found[skill.id] = frozenset(wrong.misconception for wrong in question.wrong)
            if kind == "question":
                found[name] = found[skill.id]
        return found

    def problem(self, skill: Skill, draw: random.Random) -> Problem:
        """A problem with numbers that `draw` gives."""
        kind = skill.id.partition(":")[0]
        if kind == "picture":
            return pictures.problem(skill, self.course, draw)
        if kind == "quantity":
            return quantities.problem(skill, self.course, draw)
        assert skill.step.question is not None
        return fresh.fresh(skill, self.course, skill.step.question, draw)
