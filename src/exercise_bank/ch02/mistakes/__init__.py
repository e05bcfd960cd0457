"""Mistakes of students in chapter 02: one file for each coding exercise."""
