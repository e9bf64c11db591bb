"""A class on one host: who is in it, how they come in, what they may do, and what an instructor sees."""
