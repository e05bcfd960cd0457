"""Test the graders with known mistakes, small changes, and classes of simulated students."""
