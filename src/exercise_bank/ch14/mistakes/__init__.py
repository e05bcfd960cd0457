"""How the tasks of chapter 14 go wrong."""
