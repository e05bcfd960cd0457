"""From a page of text to its notebook, and from a solution to its release."""
