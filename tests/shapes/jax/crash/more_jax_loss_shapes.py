# jax: add got incompatible shapes for broadcasting: (32, 10), (100,)
import jax
import jax.numpy as jnp
import optax


def loss_fn(params, batch):
    x, y = batch
    h = jax.nn.relu(x @ params["w1"] + params["b1"])
    logits = h @ params["w2"] + params["b2"]  # expect: DP602
    one_hot = jax.nn.one_hot(y, 10)
    return optax.softmax_cross_entropy(logits, one_hot).mean()


k = jax.random.PRNGKey(0)
params = {
    "w1": jax.random.normal(k, (784, 128)), "b1": jnp.zeros(128),
    "w2": jax.random.normal(k, (128, 10)), "b2": jnp.zeros(100),  # fixed: "w2": jax.random.normal(k, (128, 10)), "b2": jnp.zeros(10),
}
batch = (jnp.ones((32, 784)), jnp.zeros(32, dtype=jnp.int32))
grads = jax.grad(loss_fn)(params, batch)
