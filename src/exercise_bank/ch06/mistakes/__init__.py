"""Mistakes of students in chapter 06: one file for each coding exercise."""
