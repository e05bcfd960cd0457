"""Archives of learning platforms become submissions: who handed in what, and when."""
