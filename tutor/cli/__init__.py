"""The command line: everything that the app can do, and `--json` for other programs."""
