"""How the exercises of chapter 11 go wrong."""
