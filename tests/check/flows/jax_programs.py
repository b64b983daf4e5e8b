"""The same for JAX: a training program with Flax and Optax in several structures, and mistakes that are planted into each."""
import dataclasses

IMPORTS = '''import dataclasses
import functools
import time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
'''
PARTS = '''

class Net(nn.Module):
    width: int = 256

    @nn.compact
    def __call__(self, x, train):
        x = nn.relu(nn.Dense(self.width)(x))
        x = nn.Dropout(0.1, deterministic=not train)(x)
        return nn.Dense(10)(x)


class Data:
    def __init__(self, path, batch):
        with np.load(path) as blob:
            self.x, self.y = blob["x"], blob["y"]
        self.batch = batch

    def batches(self, rng):
        order = rng.permutation(len(self.y))
        for start in range(0, len(order) - self.batch + 1, self.batch):
            rows = order[start:start + self.batch]
            yield self.x[rows], self.y[rows]


'''


@dataclasses.dataclass
class Program:
    tx: str = "optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))"
    jit: str = "jax.jit"  # empty: not compiled
    first: tuple = ()  # lines of the step
    key: str = "jax.random.fold_in(key, count)"
    update: str = "updates, opt_state = {tx}.update(grads, opt_state, params)"
    parameter: str = ""
    argument: str = ""
    before: tuple = ()  # lines of the loop
    after: tuple = ()


GOOD = Program()
STATIC = 'functools.partial(jax.jit, static_argnames="number")'
MISTAKES = {
    "clean": ("", {}),
    "float": ("DP116", {"after": ("total += float(loss)",)}),
    "not_jitted": ("DP223", {"jit": ""}),
    "same_key": ("DP825", {"key": "key"}),
    "state_dropped": ("DP849", {"update": "updates, _ = {tx}.update(grads, opt_state, params)"}),
    "numpy_random": ("DP222", {"first": ("x = x + 0.1 * np.random.normal(size=x.shape)",)}),
    "clip_after": ("DP865", {"tx": "optax.chain(optax.adamw(1e-3), optax.clip_by_global_norm(1.0))"}),
    "unrolled": ("DP221", {"first": ("for _ in range(1000):", "    x = x + 0.01 * jnp.sin(x)")}),
    "static_number": ("DP207", {"parameter": ", number", "argument": ", number=count", "jit": STATIC}),
    "branch": ("DP826", {"first": ("if x.mean() > 0:", "    x = -x")}),
    "fresh_state": ("DP850", {"update": "updates, _ = {tx}.update(grads, {tx}.init(params), params)"}),
    "tested": ("DP116", {"after": ("if loss < 0.1:", "    total += 1")}),
    "timing": ("DP154", {"before": ("begin = time.perf_counter()",), "after": ("spent = time.perf_counter() - begin",)}),
}


def text(lines, depth=0):
    return "".join("    " * depth + line + "\n" if line else "\n" for line in lines)


def step(p, model, tx, first="", name="step"):
    return [f"def {name}({first}params, opt_state, x, y, key, count{p.parameter}):", *("    " + line for line in (
        *p.first, f"rng = {p.key}", "", "def loss_fn(params):",
        f'    logits = {model}.apply(params, x, train=True, rngs={{"dropout": rng}})',
        "    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()", "",
        "loss, grads = jax.value_and_grad(loss_fn)(params)", p.update.format(tx=tx),
        "return optax.apply_updates(params, updates), opt_state, loss"))]


def compiled(p, lines):
    return ["@" + p.jit, *lines] if p.jit else lines


def loop(p, call, data, tx, state=("params", "opt_state"), key="key", first=""):
    params, opt_state = state
    return ["count, total = 0, 0.0", "rng = np.random.default_rng(0)", "for epoch in range(20):", "    losses = []",
            f"    for x, y in {data}.batches(rng):", *("        " + line for line in (
                *p.before, f"{params}, {opt_state}, loss = {call}({first}{params}, {opt_state}, x, y, {key}, count{p.argument})",
                "losses.append(loss)", "count += 1", *p.after)), "    print(epoch, float(jnp.stack(losses).mean()))"]


def start(model, tx):
    return ["key = jax.random.PRNGKey(1)", f"params = {model}.init(jax.random.PRNGKey(0), jnp.ones((1, 32)), train=False)",
            f"opt_state = {tx}.init(params)"]


def main(call):
    return f'\n\nif __name__ == "__main__":\n    {call}\n'


def script(p):
    return (IMPORTS + PARTS + f'model = Net()\ntx = {p.tx}\n\n\n' + text(compiled(p, step(p, "model", "tx"))) + '\n\ndata = Data("train.npz", 64)\n'
            + text(start("model", "tx") + loop(p, "step", "data", "tx")))


def closure_lines(p, model="model", tx="tx", parameters="model, tx"):
    return f"def make_step({parameters}):\n" + text(compiled(p, step(p, model, tx)), 1) + "\n    return step\n"


def train_lines(p, model, tx, data, parameters):
    return (f"\n\ndef train({parameters}):\n" + text([f"step = make_step({parameters})" if parameters != "model, tx, data" else
                                                    "step = make_step(model, tx)", *start(model, tx), *loop(p, "step", data, tx)], 1))


def closure(p):
    return (IMPORTS + PARTS + closure_lines(p) + train_lines(p, "model", "tx", "data", "model, tx, data")
            + f"\n\ndef make_tx():\n    return {p.tx}\n" + main('train(Net(), make_tx(), Data("train.npz", 64))'))


def dictionary(p):
    return (IMPORTS + PARTS + f'def build():\n    parts = {{"model": Net(), "tx": {p.tx}}}\n    parts["data"] = Data("train.npz", 64)\n    return parts\n\n\n'
            + closure_lines(p, 'parts["model"]', 'parts["tx"]', "parts") + train_lines(p, 'parts["model"]', 'parts["tx"]', 'parts["data"]', "parts")
            + main("train(build())"))


def dataclass_(p):
    return (IMPORTS + PARTS + "@dataclasses.dataclass\nclass Context:\n    model: Any\n    tx: Any\n    data: Any\n\n\n"
            + f'def build():\n    return Context(model=Net(), tx={p.tx}, data=Data("train.npz", 64))\n\n\n'
            + closure_lines(p, "ctx.model", "ctx.tx", "ctx") + train_lines(p, "ctx.model", "ctx.tx", "ctx.data", "ctx") + main("train(build())"))


def trainer(p):
    jit = p.jit and ("jax.jit(self._step)" if p.jit == "jax.jit" else 'jax.jit(self._step, static_argnames="number")') or "self._step"
    return (IMPORTS + PARTS + "class Trainer:\n    def __init__(self, model, data):\n" + text([
        "self.model = model", "self.data = data", "self.tx = self._optimizer()", "self.key = jax.random.PRNGKey(1)",
        "self.params = model.init(jax.random.PRNGKey(0), jnp.ones((1, 32)), train=False)", "self.opt_state = self.tx.init(self.params)",
        f"self.step = {jit}"], 2) + f"\n    def _optimizer(self):\n        return {p.tx}\n\n"
        + text(step(p, "self.model", "self.tx", "self, ", "_step"), 1) + "\n    def fit(self):\n"
        + text(loop(p, "self.step", "self.data", "self.tx", ("self.params", "self.opt_state"), "self.key"), 2)
        + main('Trainer(Net(), Data("train.npz", 64)).fit()'))


def arguments(p):
    jit = p.jit and "functools.partial(jax.jit, static_argnums=(0, 1)" + (', static_argnames="number")' if p.parameter else ")")
    lines = step(p, "model", "tx", "model, tx, ")
    return (IMPORTS + PARTS + text(["@" + jit, *lines] if jit else lines) + "\n\ndef train(model, tx, data):\n"
            + text(start("model", "tx") + loop(p, "step", "data", "tx", first="model, tx, "), 1)
            + main(f'train(Net(), {p.tx}, Data("train.npz", 64))'))


def files(p):
    return {"net.py": IMPORTS + PARTS, "optim.py": f"import optax\n\n\ndef make_tx():\n    return {p.tx}\n",
            "steps.py": IMPORTS + "\n\n" + closure_lines(p),
            "train.py": IMPORTS + "\nfrom net import Data, Net\nfrom optim import make_tx\nfrom steps import make_step\n\n\ndef main():\n" + text([
                'model, tx, data = Net(), make_tx(), Data("train.npz", 64)', "step = make_step(model, tx)", *start("model", "tx"),
                *loop(p, "step", "data", "tx")], 1) + main("main()")}


STRUCTURES = {"jax_script": script, "jax_closure": closure, "jax_dictionary": dictionary, "jax_dataclass": dataclass_, "jax_trainer": trainer,
              "jax_arguments": arguments, "jax_files": files}
PROGRAMS = [(structure, mistake, codes, build(dataclasses.replace(GOOD, **parts)))
            for structure, build in STRUCTURES.items() for mistake, (codes, parts) in MISTAKES.items()]
