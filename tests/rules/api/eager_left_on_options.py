import dataclasses
from functools import partial
import keras


@dataclasses.dataclass
class Opts:
    loss: str = "mse"
    run_eagerly: bool = True  # expect: DP112


def one(model):
    model.compile(optimizer="adam", **dataclasses.asdict(Opts()))


def two(model):
    opts = dict(loss="mse")
    opts["run_eagerly"] = True  # expect: DP112
    model.compile(**opts)


def three(model, **kw):
    model.compile(**kw)


class T:
    compile_kwargs = {"loss": "mse", "run_eagerly": True}  # expect: DP112

    def __init__(self, model):
        self.model = model
        self.opts = {**self.compile_kwargs, "metrics": ["mae"]}

    def go(self):
        self.model.compile(**self.opts)


def defaults():
    return {"loss": "mse", "run_eagerly": True}  # expect: DP112


def four(model):
    model.compile(**defaults())


def five(model):
    comp = partial(model.compile, run_eagerly=True)
    comp(loss="mse")


def six(model, debug=True):
    model.compile(loss="mse", run_eagerly=debug)  # expect: DP112


DEBUG = True


def seven(model):
    model.compile(loss="mse", run_eagerly=DEBUG)  # expect: DP112

def net():
    return keras.Sequential([keras.layers.Dense(3)])

m = net()
one(m)
two(m)
three(m, loss="mse", run_eagerly=True)  # expect: DP112
T(m).go()
four(m)
five(m)
six(m)
seven(m)


def quiet(model, chosen):
    model.compile(**{"loss": "mse", "run_eagerly": False})
    model.compile(**chosen)
