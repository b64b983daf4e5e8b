"""Edits that keep the meaning of a Python program, and what the checker makes of them. See ../metamorphic_test.py."""
