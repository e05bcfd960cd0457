"""How the exercises of chapter 05 go wrong."""
