"""What serves the course and is no transformer."""
