"""What a class did in one assignment: read, counted, shown and exported."""
