"""Call an answer, compare it, find out what its author believed, and say so."""
