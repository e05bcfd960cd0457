"""How the exercises of chapter 12 go wrong."""
