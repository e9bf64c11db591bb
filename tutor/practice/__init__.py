"""Practice without end: fresh problems of what a learner has met, at the time at which they are nearly forgotten."""

PRACTICE = "practice"  # the kind of event
