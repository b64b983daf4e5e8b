f(*a, *b, **c, d=1, **e)
a, *b = c
*a, = b
x[*a, 1]
return_ = *a, *b
for x in *a, b: pass
def f(): return *a, b
print(*a, sep='')
f(**a, *b)
