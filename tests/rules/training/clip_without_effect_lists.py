import optax


def clip_last(rate):
    return [optax.adamw(rate), optax.clip_by_global_norm(1.0)]  # expect: DP865


def clip_first(rate):
    return (optax.clip_by_global_norm(1.0), optax.adamw(rate))


def parts(rate):
    yield optax.sgd(rate)
    yield optax.clip(0.5)  # expect: DP865


MAKERS = {"first": clip_first, "plain": lambda rate: [optax.adam(rate)]}


class Setup:
    def __init__(self, rate, norm):
        self.rate = rate
        self.norm = norm

    def clipping(self):
        return [optax.clip_by_global_norm(self.norm)] if self.norm else []

    def optimizer(self):
        return [optax.inject_hyperparams(optax.adamw)(self.rate)]

    def right(self):
        return optax.chain(*self.clipping(), *self.optimizer())

    def wrong(self):
        return optax.chain(*self.optimizer(), *self.clip_again())

    def clip_again(self):
        return [optax.clip_by_global_norm(self.norm)]  # expect: DP865


def build(name, rate):
    a = optax.chain(*clip_last(rate))
    b = optax.chain(*clip_first(rate))
    c = optax.chain(*parts(rate))
    d = optax.chain(*MAKERS[name](rate))
    inner = optax.chain(optax.clip(1.0), optax.adam(rate))
    e = optax.chain(inner, optax.clip_by_global_norm(1.0))  # expect: DP865
    f = optax.chain(*([optax.clip(1.0)] + [optax.adam(rate)]))
    return a, b, c, d, e, f
