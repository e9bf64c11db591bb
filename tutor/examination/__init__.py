"""The final examination: ten problems over the whole course, numbers not seen before, and the page they end in."""
