"""How the exercises of chapter 13 go wrong."""
