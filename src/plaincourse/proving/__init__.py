"""Proofs of the graders: known mistakes, small changes, classes of made-up students."""
