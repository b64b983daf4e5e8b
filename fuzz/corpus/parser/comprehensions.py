[x for x in y if a if b for z in w]
{k: v for k, v in d.items()}
{x async for x in aiter()}
(x for x in y)
f(x for x in y)
[[i for i in range(j)] for j in z]
{**a, 'b': 1, **c}
{*a, *b}
