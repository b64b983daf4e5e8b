import jax

x = 1.0


@jax.jit
def rollout(batch):
    return jax.tree_util.tree_map(lambda x: x.reshape(-1), batch)


for step in range(1000):
    x = x + 1.0
    rollout({"a": jax.numpy.ones((2, step))})
