import jax
import optax


def loss(logits, y):
    rows = jax.nn.one_hot(y, 10)
    wrong = optax.softmax_cross_entropy_with_integer_labels(logits, rows).mean()  # expect: DP881
    right = optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()
    other = optax.softmax_cross_entropy(logits, rows).mean()
    return wrong + right + other
