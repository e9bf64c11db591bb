"""The program that runs a learner's file, in a process of its own. It imports nothing else of the tutor.

The folder is self-contained: the process finds it as the package `inside`, away from the rest of the
tutor; the tutor itself imports only `frames` from here, to speak the same language.
"""
