import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def f(x, n):
    return lax.fori_loop(0, n, lambda i, v: v * 0.5 + i, x)


print(f(jnp.ones(4), 3))
total = lax.fori_loop(0, 10, lambda i, t: t + i, 0)
c, ys = lax.scan(lambda c, x: (c + x, c), 0, jnp.arange(5.0))
c2, _ = lax.scan(lambda c, _: (c * 2, None), jnp.float32(1), None, length=3)
g = jax.grad(lambda w: jnp.sum(w ** 2))(2.0)
h = jax.grad(lambda w, x: (x @ w).sum(), argnums=0)(np.ones(3), np.ones((5, 3)))
k = jax.vmap(jax.vmap(jnp.dot))(jnp.ones((2, 3, 4)), jnp.ones((2, 3, 4)))
m = jax.vmap(lambda d: d["a"] + d["b"])({"a": jnp.ones((3, 2)), "b": jnp.ones(3)})
o = jax.vmap(lambda a, b: a + b, in_axes=(0, 1), out_axes=1)(jnp.ones((3, 2)), jnp.ones((2, 3)))
p = lax.cond(k.sum() > 0, lambda: 1.0, lambda: 2.0)
q = lax.while_loop(lambda s: s[0] < 5, lambda s: (s[0] + 1, s[1] * 2), (0, jnp.ones((2, 2))))
r = jnp.where(jnp.arange(3) > 1, 1.0, 0)
s = jnp.ones((3, 4)).at[0].set(2.0)
t = jnp.concatenate([jnp.ones((2, 3)), np.zeros((1, 3))])
v = jax.jit(lambda x: x.reshape(-1, 2))(jnp.ones((4, 3)))
a, b = jax.random.split(jax.random.PRNGKey(0))
k1, *rest = jax.random.split(a, 4)
w = jnp.einsum("...ij,jk->...ik", jnp.ones((2, 3, 4)), jnp.ones((4, 5)))
