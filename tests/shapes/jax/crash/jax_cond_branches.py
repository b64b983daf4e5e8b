# jax: TypeError: true_fun and false_fun output must have identical types, got float32[4] and float32[2].
import jax
import jax.numpy as jnp


@jax.jit
def pick(flag, x):
    return jax.lax.cond(flag, lambda v: v, lambda v: v[:2], x)  # expect: DP602  # fixed: return jax.lax.cond(flag, lambda v: v, lambda v: v * 2, x)


print(pick(True, jnp.arange(4.0)))
