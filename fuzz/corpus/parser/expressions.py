x = a or b and not c
y = a < b <= c != d is not e not in f
z = -a ** -b + ~c * d // e % f @ g << 1 >> 2 & 3 | 4 ^ 5
w = a if b else c if d else e
v = (yield)
u = (n := 10, *rest)
t = a.b.c[1][2:3, ..., ::2](d)(e=1)
