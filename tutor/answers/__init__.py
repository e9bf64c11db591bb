"""What was typed read into a value, and a value judged, with a reason."""
