if a: b
elif c: d
else: e
for i, in x: y
else: z
for *a, b in c, *d:
    break
while a: b
else: c
with a: pass
with a as b, c as (d, e): pass
with (a as b, c as d,): pass
with (a, b): pass
with (a): pass
with (yield): pass
