"""How the exercises of chapter 15 go wrong."""
