import a, b.c as d
from . import x
from ...a.b import (c, d as e,)
from x import *
global g, h
nonlocal n
del a, b[0], (c, d.e)
assert a, b
raise
raise A from b
return 1,
pass; break; continue
a = b = *c, d = e
a += b; a -= b; a *= b; a @= b; a /= b; a //= b; a %= b; a &= b; a |= b; a ^= b; a >>= b; a <<= b; a **= b
a: int
a.b: int = 1
(a): int = 2
a[0]: x
