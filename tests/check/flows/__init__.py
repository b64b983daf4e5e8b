"""Training programs for flows_test.py: one planted mistake (mistakes.py) in many ways to structure a program
(structures.py, frameworks.py). What is wrong does not depend on how the program is organised, so neither may the findings."""
