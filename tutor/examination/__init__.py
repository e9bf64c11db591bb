"""The final examination: ten problems over the whole course, numbers not seen before, and the page they end in."""

# The events of an examination
BEGUN, SHOWN, ANSWERED, ENDED = "exam", "exam-shown", "exam-answer", "exam-result"
NOT_BEGUN = "not begun"
