"""Read, count, show and export the results of a class in one assignment."""
