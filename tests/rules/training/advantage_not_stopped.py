import jax
import jax.numpy as jnp
import tensorflow as tf


def net(params, obs):
    h = jnp.tanh(obs @ params["w"])
    return h @ params["p"], (h @ params["v"])[..., 0]


def taken_log_prob(logits, actions):
    return jnp.take_along_axis(jax.nn.log_softmax(logits), actions[..., None], -1)[..., 0]


def policy_term(log_prob, advantage):
    return -jnp.mean(log_prob * advantage)  # expect: DP970


def loss_leaks(params, batch):
    logits, values = net(params, batch["obs"])
    return policy_term(taken_log_prob(logits, batch["actions"]), batch["returns"] - values)


def loss_stops(params, batch):
    logits, values = net(params, batch["obs"])
    advantage = jax.lax.stop_gradient(batch["returns"] - values)
    return -jnp.mean(taken_log_prob(logits, batch["actions"]) * advantage)


def loss_given(params, batch):
    logits, values = net(params, batch["obs"])
    return -jnp.mean(taken_log_prob(logits, batch["actions"]) * batch["advantage"]) + jnp.mean(values**2)


def focal(params, x, y):
    logits, _ = net(params, x)
    log_probs = jax.nn.log_softmax(logits)
    taken = jnp.take_along_axis(log_probs, y[..., None], -1)[..., 0]
    return -jnp.mean((1.0 - jnp.exp(taken)) ** 2 * taken)


def divergence(params, old, x):
    log_p = jax.nn.log_softmax(net(params, x)[0])
    log_q = jax.nn.log_softmax(net(old, x)[0])
    return jnp.sum(jnp.exp(log_p) * (log_p - log_q))


@jax.jit
def update(params, old, batch, x, y):
    grads = [
        jax.grad(loss_leaks)(params, batch),
        jax.grad(loss_stops)(params, batch),
        jax.grad(loss_given)(params, batch),
        jax.grad(focal)(params, x, y),
        jax.grad(divergence)(params, old, x),
    ]
    return grads


class ActorCritic(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.body = tf.keras.layers.Dense(64, activation="tanh")
        self.policy = tf.keras.layers.Dense(4)
        self.value = tf.keras.layers.Dense(1)

    def call(self, x):
        h = self.body(x)
        return self.policy(h), tf.squeeze(self.value(h), -1)


model = ActorCritic()


@tf.function
def leaky_step(states, actions, returns):
    with tf.GradientTape() as tape:
        logits, values = model(states)
        nll = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=actions, logits=logits)
        advantage = returns - values
        loss = tf.reduce_mean(nll * advantage) + tf.reduce_mean(advantage**2)  # expect: DP970
    return tape.gradient(loss, model.trainable_variables)


@tf.function
def stopped_step(states, actions, returns):
    with tf.GradientTape() as tape:
        logits, values = model(states)
        nll = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=actions, logits=logits)
        advantage = returns - values
        loss = tf.reduce_mean(nll * tf.stop_gradient(advantage)) + tf.reduce_mean(advantage**2)
    return tape.gradient(loss, model.trainable_variables)
