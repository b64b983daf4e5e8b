a = 1
if b:
    c
"""x
y"""
d = \
1