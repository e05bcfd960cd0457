"""What students of chapter 06 get wrong: one file for each coding exercise."""
