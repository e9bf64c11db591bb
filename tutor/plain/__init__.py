"""The course line by line: for screen readers, pipes, slow lines and terminals that cannot move their cursor."""
