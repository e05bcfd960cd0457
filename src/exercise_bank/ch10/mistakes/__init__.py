"""How the tasks of chapter 10 go wrong."""
