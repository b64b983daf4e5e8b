import optax

plain = optax.chain(optax.adam(1e-3), optax.add_decayed_weights(1e-4))  # expect: DP989


def build(rate, decay):
    steps = [optax.clip_by_global_norm(1.0), optax.sgd(rate)]
    if decay:
        steps.append(optax.add_decayed_weights(decay))  # expect: DP989
    return optax.chain(*steps)


def base(rate):
    return optax.sgd(rate, momentum=0.9)


def from_function(rate):
    return optax.chain(base(rate), optax.add_decayed_weights(1e-4))  # expect: DP989


class Learner:
    def __init__(self, rate):
        decay = optax.add_decayed_weights(1e-4)
        self.optimizer = optax.chain(base(rate), decay)  # expect: DP989


def right(rate):
    coupled = optax.chain(optax.add_decayed_weights(1e-4), optax.sgd(rate))
    parts = optax.chain(optax.scale_by_adam(), optax.add_decayed_weights(1e-4), optax.scale(-rate))
    signed = optax.chain(optax.adam(rate), optax.add_decayed_weights(-rate * 1e-2))
    return coupled, parts, signed, optax.adamw(rate, weight_decay=1e-4)


def unknown(optimizer):
    return optax.chain(optimizer, optax.add_decayed_weights(-1e-6))
