"""Mistakes of students in chapter 09: one file for each coding exercise."""
