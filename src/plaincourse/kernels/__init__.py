"""Processes that have imported everything, and fork a kernel from it in milliseconds."""
