"""How the tasks of chapter 08 go wrong."""
