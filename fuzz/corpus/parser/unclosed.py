f(a, [b, {c: d
x = 1
def g(:
    y = (
class H:
    z = 1
