"""Lesson files read into lessons, steps, questions and exercises."""
