from typing import Callable, Dict

import optax

TABLE: Dict[str, Callable] = {
    "adamw": lambda rate, cfg: optax.adamw(rate, weight_decay=cfg.decay),
    "sgd": lambda rate, cfg: optax.sgd(rate, momentum=0.9),
}

plain = optax.chain(optax.adam(1e-3), optax.clip_by_global_norm(1.0))  # expect: DP865
by_value = optax.chain(optax.sgd(0.1), optax.clip(1.0))  # expect: DP865
decayed = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-3), optax.add_decayed_weights(1e-4))  # expect: DP989


def base(rate):
    return optax.adam(rate, b2=0.95)


def from_table(cfg):
    steps = [TABLE[cfg.name](cfg.rate, cfg)]
    if cfg.norm > 0:
        steps.append(optax.clip_by_global_norm(cfg.norm))  # expect: DP865
    return optax.chain(*steps)


def from_function(rate):
    clip = optax.clip_by_global_norm(1.0)
    optimizer = base(rate)
    return optax.chain(optimizer, clip)  # expect: DP865


def grown(rate):
    steps = []
    steps += [optax.adam(rate)]
    steps += [optax.adaptive_grad_clip(0.01)]  # expect: DP865
    return optax.chain(*steps)


class Learner:
    def __init__(self, rate):
        self.clip = optax.clip_by_global_norm(0.5)
        self.optimizer = optax.chain(base(rate), self.clip)  # expect: DP865


def right(cfg):
    steps = [TABLE[cfg.name](cfg.rate, cfg)]
    if cfg.norm > 0:
        steps.insert(0, optax.clip_by_global_norm(cfg.norm))
    return optax.chain(*steps)


def in_order(rate):
    first = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(rate))
    parts = optax.chain(optax.scale_by_adam(), optax.clip_by_global_norm(1.0), optax.scale(-rate))
    decay = optax.chain(optax.scale_by_adam(), optax.add_decayed_weights(1e-4), optax.scale(-rate))
    averaged = optax.chain(optax.clip(1.0), optax.adam(rate), optax.ema(0.99))
    after = optax.chain(optax.adam(rate), optax.scale_by_schedule(lambda step: 0.5))
    return first, parts, decay, averaged, after


def unknown(optimizer, more, rate, cfg):
    steps = [optax.adam(rate)]
    steps.extend(more)
    steps.append(optax.clip_by_global_norm(1.0))
    one = optax.chain(*steps)
    order = [optax.adam(rate), optax.clip_by_global_norm(1.0)]
    order.reverse()
    two = optax.chain(*order)
    if cfg.clip_first:
        choice = [optax.clip_by_global_norm(1.0), optax.adam(rate)]
    else:
        choice = [optax.adam(rate)]
    three = optax.chain(*choice)
    return one, two, three, optax.chain(optimizer, optax.clip_by_global_norm(1.0))
