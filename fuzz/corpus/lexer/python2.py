exec "code" in ns, loc
exec code
raise E, "message", tb
try:
    pass
except E, e:
    print e
except (A, B), (x, y):
    pass
if a <> b: print 0777, 10L, 0xFFL, ur"\d", UR'x'
def f(a, (b, (c, d)), e=1): return b
lambda (x, y): x
