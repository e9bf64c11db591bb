"""Everything a person touches: reading lessons, judging answers, running files, remembering progress, drawing."""
