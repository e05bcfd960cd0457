"""How the tasks of chapter 07 go wrong."""
