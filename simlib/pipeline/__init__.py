"""Pipeline schedules: who runs what in which order, timed."""
