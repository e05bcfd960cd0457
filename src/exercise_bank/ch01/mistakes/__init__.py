"""How the answers of chapter 01 go wrong."""
