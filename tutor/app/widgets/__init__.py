"""Widgets of the app: each draws its own lines and says in messages what the learner did."""
