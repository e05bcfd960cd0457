"""How the exercises of chapter 03 go wrong."""
