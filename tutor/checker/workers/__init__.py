"""Programs of workers: each worker is a process of its own; every message is routed and counted here."""
