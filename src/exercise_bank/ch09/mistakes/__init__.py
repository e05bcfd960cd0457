"""What students of chapter 09 get wrong: one file for each coding exercise."""
