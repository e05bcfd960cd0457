"""How the exercises of chapter 04 go wrong."""
