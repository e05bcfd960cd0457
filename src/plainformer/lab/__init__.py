"""Tasks, data and models of the course that are not parts of a transformer."""
