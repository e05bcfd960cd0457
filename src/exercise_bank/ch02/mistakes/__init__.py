"""What students of chapter 02 get wrong: one file for each coding exercise."""
