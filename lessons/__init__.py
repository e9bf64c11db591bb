"""The course as data: prose, questions and exercises, read by `tutor.course`."""
