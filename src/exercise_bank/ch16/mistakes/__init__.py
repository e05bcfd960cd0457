"""How the exercises of chapter 16 go wrong."""
