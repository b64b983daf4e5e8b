"""Programs that no person would write: many of one thing, in several arrangements, and single things that are very wide
or very deep. Used by growth.py and wide_test.py.
"""

import json
import textwrap

HEAD = """import argparse
import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
import tensorflow as tf
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset
"""


def notebook(sources):
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source}
             for source in sources]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


# ---- Pieces: a function gives the text of the i-th one -----------------------------------------------------------------


def model_class(i):
    return f"""class Net{i}(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv{i} = nn.Conv2d(3, 8, 3, bias=True)
        self.norm = nn.BatchNorm2d(8)

    def forward(self, x):
        return F.softmax(self.norm(self.conv{i}(x)))
"""


def train_loop(i):
    return f"""def train{i}(model, loader, optimizer):
    total = 0
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        total += loss
    return total
"""


def eval_loop(i):
    return f"""def evaluate{i}(model, loader):
    right = 0
    for x, y in loader:
        right += (model(x).argmax(1) == y).sum().item()
    return right / len(loader)
"""


def pipeline(i):
    return f"""def decode{i}(path):
    return tf.io.decode_jpeg(tf.io.read_file(path))


data{i} = tf.data.Dataset.list_files("*.jpg").map(decode{i}).batch(32).shuffle(10).cache()
for batch in data{i}:
    print(batch)
"""


def session(i):
    return f"""x{i} = tf.placeholder(tf.float32, [None, 3])
y{i} = tf.matmul(x{i}, tf.ones([3, 3]))
with tf.Session() as sess:
    for step in range(1000):
        sess.run(tf.add(y{i}, 1), feed_dict={{x{i}: np.zeros([1, 3])}})
"""


def keras_model(i):
    return f"""model{i} = tf.keras.Sequential([tf.keras.layers.Dense(10, activation="softmax")])
model{i}.compile(loss=tf.keras.losses.CategoricalCrossentropy(from_logits=True), optimizer="adam")
for epoch in range(10):
    model{i}.fit(np.zeros([3, 3]), np.zeros([3, 10]), batch_size=1)
"""


def jitted(i):
    return f"""@jax.jit
def step{i}(params, x):
    print(x)
    for k in range(1000):
        x = jnp.tanh(x @ params)
    return float(x.sum()) if x.sum() > 0 else x


key{i} = jax.random.PRNGKey({i})
a{i} = jax.random.normal(key{i}, (3,)) + jax.random.normal(key{i}, (3,))
"""


def arrays(i):
    return f"""out{i} = np.zeros([0, 3])
for k in range(1000):
    out{i} = np.concatenate([out{i}, np.ones([1, 3])])
    if np.nan == out{i}[0, 0]:
        out{i}[k] = np.log(out{i}[k])
"""


def frames(i):
    return f"""frame{i} = pd.read_csv("a.csv")
for row, line in frame{i}.iterrows():
    frame{i}.loc[row, "b"] = line["a"] * 2
    frame{i} = frame{i}.append(line)
"""


def loaders(i):
    return f"""class Data{i}(Dataset):
    def __getitem__(self, k):
        return torch.tensor(np.load("a.npy")[k]).cuda()

    def __len__(self):
        return {i}


loader{i} = DataLoader(Data{i}(), batch_size=1, num_workers=4, shuffle=True)
"""


def decorated(i):
    return f"""@torch.no_grad()
@torch.jit.script
def decorated{i}(x: torch.Tensor, y={i}):
    return torch.relu(x) + y
"""


def conditions(i):
    return f"""if value == {i}:
    result = torch.zeros({i}).cuda()
elif value > {i}:
    result = torch.ones({i}).to("cuda")
else:
    result = None
"""


def tries(i):
    return f"""try:
    item = torch.load("{i}.pt")
except (OSError, ValueError) as error:
    item = error
finally:
    torch.cuda.empty_cache()
"""


def contexts(i):
    return f"""with torch.cuda.amp.autocast(), torch.no_grad() as context{i}, open("{i}") as file:
    y = model(torch.zeros(3))
"""


def closures(i):
    return f"""def outer{i}(x):
    def middle(y):
        def inner(z):
            return torch.relu(x + y + z)
        return inner
    return middle(x)(x)
"""


def comprehensions(i):
    return f"""items{i} = [torch.tensor([a, b]) for a in range(10) if a for b in range(a) if b > a]
table{i} = {{k: v.item() for k, v in zip(items{i}, items{i})}}
"""


def lambdas(i):
    return f"f{i} = lambda x, *a, y={i}, **k: (lambda z: torch.relu(z) + y)(x)\nr{i} = f{i}(torch.zeros(3))\n"


def texts(i):
    return f"""name{i} = f"run-{{value!r:>{{width}}}}-{i}-{{torch.zeros(3).sum().item():.3f}}"
print("a" "b" 'c' f"{{name{i}}}" % name{i})
"""


def tables(i):
    return f"config{i} = {{'lr': 10, 'layers': [nn.Linear(3, 3), nn.ReLU()], 'n': {{'a': {i}, **config}}}}\n"


def lists(i):
    return f"list{i} = [torch.zeros(3), *list, (1, 2, {i}), [nn.Linear(3, 3)]]\na{i}, *b{i}, (c{i}, d{i}) = list{i}\n"


def logic(i):
    return f"flag{i} = a < b <= {i} != c and not (d or e is None) if a in b else x if y else z and a & b | c ^ ~d\n"


def chains(i):
    return f"y{i} = torch.zeros(3).cuda().float().view(-1).detach().cpu().numpy().astype(np.float).mean().item()\n"


def stars(i):
    return f"def starred{i}(*args, **kwargs):\n    return torch.cat(*args, **kwargs, **{{'dim': {i}}})\nstarred{i}(*a, 1, *b, k={i}, **c)\n"


def scopes(i):
    return f"""def scope{i}():
    global shared, counter{i}
    shared = torch.zeros(3)
    counter{i} = 0
    def inner():
        nonlocal_value = shared
        return nonlocal_value
    return inner
"""


def matches(i):
    return f"""match value:
    case {{"a": [x, *rest], **more}} if x > {i}:
        y = torch.zeros(3)
    case nn.Linear(in_features=3) | None | {i}:
        y = 1
    case _:
        y = 2
"""


def coroutines(i):
    return f"""async def serve{i}(queue):
    async for item in queue:
        async with lock:
            yield await model(item).cpu()
"""


def walruses(i):
    return f"while (chunk{i} := file.read({i})) and (n := len(chunk{i})) > 3:\n    torch.tensor(chunk{i}).cuda()\n"


def inherited(i):
    return f"""class Child{i}(Parent{i - 1 if i % 8 else i}, nn.Module, metaclass=Meta):
    def forward(self, x):
        return super().forward(x) + self.scale


class Parent{i}(nn.Module):
    scale = {i}
"""


def fields(i):
    return f"""@dataclass
class Settings{i}:
    rate: float = 0.1
    size: int = {i}
    names: list[str] = field(default_factory=list)


settings{i} = Settings{i}(rate=10.0)
optimizer{i} = torch.optim.SGD(model.parameters(), lr=settings{i}.rate)
"""


def properties(i):
    return f"""class Box{i}:
    def __init__(self, x):
        self._x = torch.as_tensor(x)

    @property
    def x(self):
        return self._x.item()

    @x.setter
    def x(self, value):
        self._x = torch.tensor(value)
"""


def generators(i):
    return f"""def batches{i}(data):
    for k in range(0, len(data), {i + 1}):
        yield torch.stack([torch.tensor(row) for row in data[k:k + {i + 1}]])
        yield from batches{i}(data)
"""


def imports(i):
    return f"""import torch.nn.functional as F{i}
from torch import nn as nn{i}, optim
from .module{i} import a as a{i}, b
"""


def long_texts(i):
    return f'"""Text {i}\n\n' + "    Some words that stand in a docstring, 'quoted' and not.\n" * 3 + '"""\n'


def updates(i):
    return f"total += loss{i} * {i}\nhistory.append(loss{i})\ntotal.data[:, {i}:None:2, ...] -= grad @ other\ndel loss{i}\n"


def annotated(i):
    return f"def typed{i}(x: 'torch.Tensor', y: dict[str, list[int]] = {{}}, /, *, z: int | None = None) -> tuple[int, ...]:\n    w: torch.Tensor = x\n    return w\n"


def whiles(i):
    return f"""step{i} = 0
while step{i} < 1000:
    optimizer.zero_grad()
    loss = model(next(data)).sum()
    loss.backward(retain_graph=True)
    optimizer.step()
    scheduler.step()
    step{i} += 1
else:
    torch.save(model, "m.pt")
"""


def checkpoints(i):
    return f"""model.load_state_dict(torch.load("{i}.pt"))
model.eval()
torch.save({{"model": model.state_dict(), "epoch": {i}}}, f"{{path}}/{i}.pt")
"""


def tokens(i):
    return f"""tokenizer{i} = AutoTokenizer.from_pretrained("bert", use_fast=False)
for text in texts:
    ids = tokenizer{i}(text, padding="max_length", return_tensors="pt")
    out{i} = model.generate(**ids, max_new_tokens={i})
"""


def lightning(i):
    return f"""class Lit{i}(pl.LightningModule):
    def training_step(self, batch, index):
        loss = self(batch[0].cuda()).mean()
        self.log("loss", loss.item(), sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr={i})
"""


def options(i):
    return f"""parser{i} = argparse.ArgumentParser()
parser{i}.add_argument("--lr", type=float, default={i})
args{i} = parser{i}.parse_args()
optimizer = torch.optim.Adam(net.parameters(), lr=args{i}.lr)
"""


def scheduled(i):
    return f"""net{i} = nn.DataParallel(nn.Sequential(nn.Linear(3, 3), nn.Softmax(), nn.LogSoftmax()))
opt{i} = torch.optim.SGD(net{i}.parameters(), lr=0.1)
sched{i} = torch.optim.lr_scheduler.StepLR(opt{i}, {i + 1})
for epoch in range(100):
    for x, y in loader:
        opt{i}.zero_grad()
        nn.CrossEntropyLoss()(net{i}(x), y).backward()
        nn.utils.clip_grad_norm_(net{i}.parameters(), 1.0)
        opt{i}.step()
    sched{i}.step()
"""


PIECES = {name: made for name, made in list(globals().items())
          if callable(made) and name not in ("notebook",) and made.__code__.co_varnames[:1] == ("i",)}


# Single statements and small definitions, each of them many times: # is the number of the piece.
STATEMENTS = {
    "items": "for x, y in loader:\n    a# = model(x).sum().item()\n",
    "prints": "for x, y in loader:\n    print(model(x))\n",
    "backwards": "loss = criterion(model(x), y)\nloss.backward()\n",
    "steps": "optimizer.zero_grad()\nloss# = F.mse_loss(model(x), y)\nloss#.backward()\noptimizer.step()\n",
    "only_zero_grad": "optimizer.zero_grad()\n",
    "scheduler_steps": "opt = torch.optim.SGD(nn.Linear(3, 3).parameters(), 0.1)\nscheduler = torch.optim.lr_scheduler.StepLR(opt, 3)\n"
                       "for e in range(10):\n    scheduler.step()\n    opt.step()\n",
    "accumulated": "for x, y in loader:\n    total += F.cross_entropy(model(x), y)\n",
    "appended": "for x, y in loader:\n    history.append(model(x))\n",
    "optimizers": "opt# = torch.optim.Adam(model#.parameters(), lr=1e-3)\n",
    "optimizers_of_layers": "layer# = nn.Linear(3, 3)\nopt# = torch.optim.Adam(layer#.parameters(), lr=0.1)\nopt#.zero_grad()\n",
    "seeds": "torch.manual_seed(#)\nnp.random.seed(#)\nx# = np.random.rand(3)\n",
    "one_key": "x# = jax.random.normal(key, (3,))\n",
    "split_keys": "key, sub = jax.random.split(key)\nx# = jax.random.normal(sub, (3,))\n",
    "jits": "@jax.jit\ndef jitted#(x):\n    return jnp.sum(x) * #\n",
    "jit_calls": "y# = jax.jit(lambda x: x)(jnp.ones(#))\n",
    "updates_at": "x = x.at[#].set(1)\n",
    "feeds": "sess.run(x + #, {x: #})\n",
    "variable_scopes": "with tf.variable_scope('s#'):\n    v# = tf.get_variable('w', [3, 3])\n",
    "graphs": "g# = tf.Graph()\nwith g#.as_default():\n    v# = tf.Variable(1)\n",
    "tapes": "with tf.GradientTape() as t#:\n    l# = model(x)\ng# = t#.gradient(l#, model.trainable_variables)\n",
    "keras_layers": "x# = tf.keras.layers.Dense(3)(tf.keras.Input((3,)))\n",
    "keras_fits": "model.fit(x, y, callbacks=[tf.keras.callbacks.EarlyStopping('val_loss')])\nmodel.predict(x)\n",
    "wrong_shapes": "y# = nn.Linear(3, 4)(torch.zeros(2, 5))\n",
    "more_dimensions": "x = x.unsqueeze(0)\n",
    "joined_tensors": "x = torch.cat([x, torch.zeros(1, 3)], 0)\n",
    "views": "x = x.view(6, 4).permute(1, 0).reshape(-1, 3).unsqueeze(0).squeeze(0).view(4, -1)\n",
    "grown_tuples": "t = t + (torch.zeros(#),)\n",
    "grown_lists": "t += [nn.Linear(3, 3), nn.ReLU()]\n",
    "grown_dicts": "t = {**t, 'k#': torch.zeros(#)}\n",
    "functions_of_autograd": "class Fn#(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        ctx.save_for_backward(x)\n"
                             "        return x.clone()\n\n    @staticmethod\n    def backward(ctx, g):\n        return g\n\n\ny# = Fn#.apply(torch.zeros(3))\n",
    "loaders_of_one": "l# = DataLoader(dataset, 3, num_workers=0)\nfor x in l#:\n    x.cuda()\n",
    "collate_functions": "def collate#(b):\n    return torch.stack([torch.tensor(x) for x in b])\n\n\nl# = DataLoader(d, 3, collate_fn=collate#)\n",
    "modes": "model.eval()\ny# = model(x)\nmodel.train()\n",
    "loaded_models": "torch.save(model#.state_dict(), 'a#')\nmodel#.load_state_dict(torch.load('a#', map_location='cpu'))\n",
    "scaled": "with torch.cuda.amp.autocast():\n    l# = model(x)\nscaler = torch.cuda.amp.GradScaler()\nscaler.scale(l#).backward()\n"
              "scaler.step(optimizer)\nscaler.update()\n",
    "distributed": "m# = nn.parallel.DistributedDataParallel(net#, device_ids=[0])\n"
                   "sampler# = torch.utils.data.distributed.DistributedSampler(d#)\nl# = DataLoader(d#, sampler=sampler#)\n"
                   "for e in range(3):\n    for x in l#:\n        m#(x).sum().backward()\n",
    "wrapped_saves": "m# = nn.DataParallel(net)\ntorch.save(m#.state_dict(), 'a#.pt')\nnet.load_state_dict(torch.load('a#.pt'))\n",
    "columns": "frame['c#'] = frame['c'].apply(lambda x: x + 1)\n",
    "appended_arrays": "for k in range(3):\n    x = np.append(x, #)\n",
    "arrays_of_lists": "rows# = []\nrows#.append(np.zeros(3))\ny# = torch.tensor(rows#)\n",
    "moves": "x = x.cuda().cpu().to('cuda').numpy()\n",
    "devices": "device# = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\nx# = torch.zeros(3).to(device#)\n",
    "discarded": "x.cuda()\nx.detach()\n",
    "frozen": "for p# in model.parameters():\n    p#.requires_grad = False\n",
    "double_softmax": "F.cross_entropy(F.softmax(z#, dim=1), y)\n",
    "layers_in_forward": "class Inner#(nn.Module):\n    def forward(self, x):\n        layer = nn.Linear(3, 3)\n        return torch.relu(layer(x))\n",
    "tests_of_tensors": "if x.sum() > #:\n    x = x + 1\n",
    "waits": "for x in loader:\n    gc.collect()\n    torch.cuda.empty_cache()\n    torch.cuda.synchronize()\n",
    "timers": "t# = time.time()\ny# = model(x.cuda())\nprint(time.time() - t#)\n",
    "old_names": "x# = torch.autograd.Variable(torch.zeros(3), volatile=True)\ny# = tf.contrib.layers.fully_connected(x#)\nz# = np.bool\n",
    "half_policies": "tf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
                     "m# = tf.keras.Sequential([tf.keras.layers.Dense(3, activation='softmax')])\n",
    "generated_texts": "m# = AutoModelForCausalLM.from_pretrained('a').cuda()\nm#.generate(x)\n",
    "suppressed": "x# = torch.zeros(3).cuda()  # deepperf: ignore[DP401] why\n",
    "partials": "p# = functools.partial(torch.zeros, 3)\np#(dtype=None).cuda()\n",
    "options_of_programs": "parser.add_argument('--a#', type=int, default=#)\nx# = torch.zeros(args.a#)\n",
    "guarded_imports": "try:\n    import m#\nexcept ImportError:\n    m# = None\n",
    "redefined": "if flag#:\n    def f(x): return torch.relu(x)\nelse:\n    def f(x): return x.cuda()\n",
    "routes": "@app.route('/#')\ndef route#():\n    m = torch.load('a')\n    return m(torch.zeros(3)).tolist()\n",
    "parameter_groups": "optimizer.add_param_group({'params': m#.parameters(), 'lr': #})\n",
    "indexed": "y# = x[#:, None, ..., ::2]\nx[:, #] = 0\n",
    "comprehensions_in_loops": "for x in loader:\n    l# = [model(a).item() for a in x for b in a if b.sum() > #]\n",
    "evaluations": "def evaluate#(model, loader):\n    model.eval()\n    for x, y in loader:\n        out = model(x)\n    return out\n",
    "pools": "p# = multiprocessing.Pool(#)\nr# = p#.map(f, [torch.zeros(3).cuda()])\n",
    "broken_lines": "x# = (torch.zeros(3\n",
    "old_python": "print 'a', x#.item()\nexec 'a'\n",
}
PIECES |= {name: lambda i, text=text: text.replace("#", str(i)) for name, text in STATEMENTS.items() if name not in PIECES}


# ---- Five ways to have many pieces: names of files and their texts -----------------------------------------------------


def one_after_the_other(pieces):
    return {"main.py": HEAD + "\n\n".join(pieces)}


def in_one_function(pieces):
    return {"main.py": HEAD + "def everything(model, loader, optimizer, value):\n" +
            textwrap.indent("\n".join(pieces), "    ") + "\n    return value\n"}


def in_methods(pieces):
    return {"main.py": HEAD + "class Everything(nn.Module):\n" + "".join(
        f"    def method{i}(self, x, model, loader):\n{textwrap.indent(piece, '        ')}\n"
        f"        return self.method{max(i - 1, 0)}(x, model, loader)\n\n" for i, piece in enumerate(pieces))}


def in_cells(pieces):
    return {"main.ipynb": notebook([HEAD, *pieces])}


def in_files(pieces):
    """Fifty a file; each file imports the one before, and one imports all."""
    files = {}
    for at in range(0, len(pieces), 50):
        number = at // 50
        before = f"from package import part{number - 1}\n" if number else ""
        files[f"package/part{number}.py"] = HEAD + before + "\n\n".join(pieces[at:at + 50])
    files["package/__init__.py"] = "".join(f"from .part{number} import *\n" for number in range(len(files)))
    return files


WAYS = {"flat": one_after_the_other, "function": in_one_function, "methods": in_methods, "cells": in_cells,
        "files": in_files}


# ---- Very wide and very deep things: a function gives the text of one with n parts -------------------------------------


def many(pattern, between=", "):
    return lambda n: between.join(pattern.replace("#", str(i)) for i in range(n))


def nested(opening, middle, closing, most=100000):
    return lambda n: opening * min(n, most) + middle + closing * min(n, most)


def blocks(line, most=90):
    """Statements in statements; Python allows a hundred."""
    def made(n):
        depth = min(n, most)
        return "".join("    " * i + line.replace("#", str(i)) + "\n" for i in range(depth)) + "    " * depth + "x = torch.relu(x)\n"
    return made


WIDE = {
    "bases": lambda n: "".join(f"class B{i}: a{i} = {i}\n" for i in range(n)) + f"class C({many('B#')(n)}): pass\ny = C().a3\n",
    "unknown_bases": lambda n: f"class C({many('unknown#')(n)}, nn.Module):\n    def forward(self, x): return self.y(x)\nC()(1)\n",
    "same_bases": lambda n: f"class A: pass\nclass C({many('A')(n)}): pass\nC().x()\n",
    "bases_in_circles": lambda n: "".join(f"class C{i}(C{(i + 1) % n}, C{(i + 2) % n}, C{(i * 7) % n}): pass\n" for i in range(n)) + "C0().x()\n",
    "ladder_of_bases": lambda n: "class C0(nn.Module): pass\n" + "".join(f"class C{i}(C{i - 1}, C{i - 1}, C{i - 1}): pass\n" for i in range(1, min(n, 400))) + f"C{min(n, 400) - 1}().x()\n",
    "diamonds": lambda n: "class D0(nn.Module): pass\n" + "".join(f"class L{i}(D{i}): pass\nclass R{i}(D{i}): pass\nclass D{i + 1}(L{i}, R{i}): pass\n" for i in range(min(n, 300))) + "D1()(1)\n",
    "class_keywords": lambda n: f"class C(nn.Module, {many('k#=#')(n)}): pass\n",
    "keyword_arguments": lambda n: f"y = torch.zeros({many('k#=#')(n)})\nz = unknown({many('k#=torch.zeros(#)')(n)})\n",
    "same_keyword": lambda n: f"y = DataLoader({many('batch_size=#')(n)})\n",
    "arguments": lambda n: f"y = torch.stack({many('torch.zeros(#)')(n)})\nprint({many('a#')(n)})\n",
    "star_arguments": lambda n: f"y = torch.cat({many('*a#')(n)}, {many('**k#')(n)})\n",
    "parameters": lambda n: f"def f({many('p#=#')(n)}, *a, {many('k#=None')(n)}, **k):\n    return p0\nf({many('p#=torch.zeros(#)')(n)})\n",
    "positional_parameters": lambda n: f"def f({many('p#')(n)}):\n    return p0\nf({many('torch.zeros(#)')(n)})\n",
    "decorators": lambda n: "".join(f"@decorate{i}({i})\n" for i in range(n)) + "def f(x):\n    return torch.relu(x)\nf(1)\n",
    "framework_decorators": lambda n: "@torch.no_grad()\n@tf.function\n@jax.jit\n" * n + "def f(x):\n    return torch.relu(x)\nf(1)\n",
    "class_decorators": lambda n: "@dataclass\n" * n + "class C(nn.Module):\n    x: int = 1\n",
    "own_decorators": lambda n: "".join(f"def d{i}(f):\n    def g(*a): return f(*a)\n    return g\n" for i in range(n)) + "".join(f"@d{i}\n" for i in range(n)) + "def f(x):\n    return torch.relu(x)\nf(1)\n",
    "targets": lambda n: f"{many('t#', ' = ')(n)} = torch.zeros(3)\n",
    "unpacked": lambda n: f"{many('t#')(n)} = {many('torch.zeros(#)')(n)}\n",
    "starred_unpacked": lambda n: f"{many('t#')(n)}, *rest = loader\n",
    "with_items": lambda n: f"with {many('torch.no_grad() as c#')(n)}:\n    x = torch.relu(x)\n",
    "handlers": lambda n: "try:\n    x = torch.relu(x)\n" + "".join(f"except E{i} as e{i}:\n    x = {i}\n" for i in range(n)),
    "elifs": lambda n: "if a:\n    x = 1\n" + "".join(f"elif a == {i}:\n    x = torch.zeros({i})\n" for i in range(n)),
    "cases": lambda n: "match x:\n" + "".join(f"    case [{i}, *r{i}]:\n        y = torch.zeros({i})\n" for i in range(n)),
    "pattern_alternatives": lambda n: f"match x:\n    case {many('#', ' | ')(n)}:\n        y = torch.zeros(1)\n",
    "class_pattern": lambda n: f"match x:\n    case C({many('k#=#')(n)}):\n        y = torch.zeros(1)\n",
    "comprehension_loops": lambda n: f"y = [a0 {' '.join(f'for a{i} in b if a{i}' for i in range(n))}]\n",
    "comparisons": lambda n: f"y = {many('a#', ' < ')(n)}\n",
    "ands": lambda n: f"y = {many('a#', ' and ')(n)} or {many('b#', ' or ')(n)}\n",
    "sums": lambda n: f"y = {many('torch.zeros(#)', ' + ')(n)}\n",
    "matrix_products": lambda n: f"y = {many('w#', ' @ ')(n)}\n",
    "powers": lambda n: f"y = {many('a#', ' ** ')(n)}\n",
    "calls_of_calls": lambda n: "y = f" + "(1)" * n + "\n",
    "attributes": lambda n: "y = torch" + ".b" * n + "\n",
    "method_calls": lambda n: "y = torch.zeros(3)" + ".relu()" * n + "\n",
    "subscripts": lambda n: "y = x" + "[0]" * n + "\n",
    "pipeline_stages": lambda n: "d = tf.data.Dataset.range(9)" + ".map(lambda x: x + 1)" * n + ".batch(3)\nfor b in d: print(b)\n",
    "parentheses": lambda n: "y = " + nested("(", "torch.zeros(3)", ")")(n) + "\n",
    "lists": lambda n: "y = " + nested("[", "torch.zeros(3)", "]")(n) + "\n",
    "tuples": lambda n: "y = " + nested("(", "1", ",)")(n) + "\n",
    "dicts": lambda n: "y = " + nested("{1: ", "torch.zeros(3)", "}")(n) + "\n",
    "nested_calls": lambda n: "y = " + nested("torch.relu(", "torch.zeros(3)", ")")(n) + "\n",
    "nested_lambdas": lambda n: "y = " + "lambda x: " * n + "x\n",
    "conditionals": lambda n: "y = " + "a if b else " * n + "torch.zeros(3)\n",
    "nots": lambda n: "y = " + "not " * n + "x\nz = " + "-" * n + "x\nw = " + "~" * n + "x\n",
    "awaits": lambda n: "async def f():\n    return " + "await " * n + "x\n",
    "walruses": lambda n: "y = " + "".join(f"(a{i} := " for i in range(n)) + "torch.zeros(3)" + ")" * n + "\n",
    "texts_in_a_row": lambda n: "y = " + many("'a#'", " ")(n) + "\n",
    "replaced_in_a_text": lambda n: 'y = f"' + many("{a#!r:>{w}}", "-")(n) + '"\n',
    "texts_in_texts": lambda n: "y = " + nested("f'{", "x", "}'")(n) + "\n",
    "slices": lambda n: f"y = x[{many('#:a#:2')(n)}]\n",
    "annotations": lambda n: "y: " + nested("list[", "int", "]")(n) + " = []\n",
    "type_parameters": lambda n: f"def f[{many('T#: int')(n)}](x: T0): return torch.relu(x)\n",
    "imported_names": lambda n: f"from torch import {many('n# as m#')(n)}\ny = m3(1)\n",
    "dotted_name": lambda n: f"import {many('a#', '.')(n)} as deep\n",
    "global_names": lambda n: f"def f():\n    global {many('g#')(n)}\n    g1 = torch.zeros(1)\n",
    "deleted": lambda n: f"del {many('x#')(n)}\n",
    "returned": lambda n: "def f(x):\n" + "".join(f"    if x == {i}: return torch.zeros({i})\n" for i in range(n)) + "    return f(x)\nf(1)\n",
    "yielded": lambda n: "def f(x):\n" + "".join(f"    yield torch.zeros({i})\n" for i in range(n)) + "for a in f(1): print(a.item())\n",
    "ifs_in_ifs": blocks("if x > #:"),
    "loops_in_loops": blocks("for i# in range(x):"),
    "whiles_in_whiles": blocks("while x > #:"),
    "withs_in_withs": blocks("with torch.no_grad() as c#:"),
    "functions_in_functions": blocks("def f#(x):"),
    "classes_in_classes": blocks("class C#(nn.Module):"),
    "one_line": lambda n: many("x = torch.relu(x)", "; ")(n) + "\n",
    "long_name": lambda n: "a" * n * 10 + " = torch.zeros(3)\ny = " + "a" * n * 10 + ".item()\n",
    "long_number": lambda n: "y = torch.zeros(" + "9" * n * 10 + ")\nz = 0x" + "f" * n * 10 + "\nfor i in range(" + "9" * n + "): pass\n",
    "long_text": lambda n: "y = '" + "a" * n * 100 + "'\nz = b'''" + "\\x00\n" * n + "'''\n",
    "numbers": lambda n: f"y = np.array([{many('#.5')(n * 10)}])\n",
    "texts": lambda n: f"y = [{many(chr(39) + 'text #' + chr(39))(n * 5)}]\n",
    "comments": lambda n: "# deepperf: ignore[DP101]\n" * n + "x = torch.zeros(3).cuda()  " + "# deepperf: ignore " * 10 + "\n",
    "suppressed_codes": lambda n: "x = torch.zeros(3).cuda()  # deepperf: ignore[" + ", ".join(["DP401"] * n) + "]\n",
    "empty_lines": lambda n: "\n" * n * 10 + " \t\n" * n + "x = torch.zeros(3).cuda()\n",
    "continued_lines": lambda n: "y = 1 + \\\n" * n + "torch.zeros(3)\n",
    "open_brackets": lambda n: "y = " + "(" * n + "\n",
    "closing_brackets": lambda n: "y = 1" + ")" * n + "\n",
    "open_texts": lambda n: "y = 'a\n" * n,
    "wrong_lines": lambda n: "def def class ? $ !\n" * n,
    "wrong_indents": lambda n: "".join(" " * (i % 13) + "x = 1\n" for i in range(n)),
    "zero_bytes": lambda n: "\0" * n + "\nx = 1\n" + "\0\n" * n,
    "marks": lambda n: "<<<<<<< a\nx = 1\n=======\nx = 2\n>>>>>>> b\n" * n,
    "redefined_functions": lambda n: "".join(f"def f(x):\n    return f(x) + {i}\n" for i in range(n)) + "f(torch.zeros(3))\n",
    "redefined_classes": lambda n: "".join(f"class C(C):\n    a = {i}\n    def forward(self, x): return super().forward(x)\n" for i in range(n)) + "C()(1)\n",
    "aliases": lambda n: "a0 = torch.zeros\n" + "".join(f"a{i} = a{i - 1}\n" for i in range(1, n)) + f"y = a{n - 1}(3).cuda()\n",
    "aliases_backwards": lambda n: "def f():\n    return a0(3).cuda()\n" + "".join(f"a{i} = a{i + 1}\n" for i in range(n)) + f"a{n} = torch.zeros\n",
    "attribute_aliases": lambda n: "class C: pass\nc = C()\nc.a0 = torch.zeros\n" + "".join(f"c.a{i} = c.a{i - 1}\n" for i in range(1, n)) + f"y = c.a{n - 1}(3).cuda()\n",
    "objects_in_objects": lambda n: "".join(f"class C{i}(nn.Module):\n    def __init__(self):\n        self.child = C{i + 1}()\n    def forward(self, x): return self.child(x)\n" for i in range(n)) + "C0()(torch.zeros(3))\n",
    "functions_of_functions": lambda n: "".join(f"def f{i}(g): return f{i + 1}(lambda x: g(x))\n" for i in range(n)) + "f0(torch.relu)\n",
    "partials": lambda n: "import functools\np0 = functools.partial(torch.zeros, 3)\n" + "".join(f"p{i} = functools.partial(p{i - 1}, k{i}={i})\n" for i in range(1, n)) + f"p{n - 1}()\n",
    "tuples_of_tuples": lambda n: "t0 = (torch.zeros(3), 1)\n" + "".join(f"t{i} = (t{i - 1}, t{i - 1})\n" for i in range(1, n)) + f"y = t{n - 1}[0][1]\n",
    "doubled_tuples": lambda n: "a = (1, 2)\n" + "a = a + a\n" * n + "y = torch.zeros(a)\n",
    "doubled_texts": lambda n: "a = 'ab'\n" + "a = a + a\n" * n + "y = torch.einsum(a, torch.zeros(2))\n",
    "doubled_lists": lambda n: "a = [torch.zeros(2)]\n" + "a += a\n" * n + "y = torch.cat(a)\n",
    "longer_tuples": lambda n: "a = ()\n" + "a = a + (1,)\n" * n + "y = torch.zeros(a)\n",
    "kept_for_branches": lambda n: f"a = [{many('#')(n * 5)}]\n" + "if c:\n    a.append(1)\n" * n + "y = torch.zeros(a)\n",
    "layers_in_layers": lambda n: "".join(f"class M{i}(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a, self.b = M{i + 1}(), nn.ModuleList([M{i + 1}() for _ in range(9)])\n    def forward(self, x): return self.b[0](self.a(x))\n" for i in range(n)) + "M0().eval().cuda()(torch.zeros(3))\n",
    "functions_called_twice": lambda n: "".join(f"def g{i}(x): return g{i + 1}(x) + g{i + 1}(torch.cat([x, x]))\n" for i in range(n)) + "y = g0(torch.zeros(2, 2))\n",
    "sizes_of_sizes": lambda n: "def h(n, m):\n" + "    n, m = n + m, n * m - m // 3\n" * n + "    return torch.zeros(n, m).view(m, -1)\nh(len(a), len(b))\n",
    "einsum": lambda n: f"y = torch.einsum('{many('ab', ',')(n)}->a', {many('torch.zeros(2, 2)')(n)})\n",
    "einops": lambda n: "from einops import rearrange\ny = rearrange(torch.zeros(2, 3), '" + "(" * n + "a b" + ")" * n + " -> b')\nz = rearrange(x, 'a b -> " + "(a b) " * n + "')\n",
    "stacked_layers": lambda n: f"y = nn.Sequential({many('nn.Linear(#, 7)')(n)})(torch.zeros(1, 3))\nz = tf.keras.Sequential([{many('tf.keras.layers.Dense(#)')(n)}])(tf.zeros((3, 3)))\n",
    "doubled_layers": lambda n: "k = tf.keras.Input((3,))\n" + "k = tf.keras.layers.Concatenate()([k, k])\n" * n + "tf.keras.Model(k, k).summary()\n",
    "mapped_maps": lambda n: "y = " + nested("jax.vmap(", "lambda x: x", ")", 180)(n) + "(jnp.zeros((3, 3)))\n",
    "endless_ranges": lambda n: "for i in range(-2**63, 2**63 - 1, 1):\n    for j in range(10**30):\n        x = torch.zeros(i, j, 2**62, -2**63)\n" * min(n, 200) + "while True:\n    x = x.unsqueeze(0).repeat(2**62, 2**62)\n",
    "models_and_optimizers": lambda n: "".join(f"m{i} = nn.Linear(3, 3)\no{i} = torch.optim.Adam(m{i}.parameters())\n" for i in range(n)) + "for x, y in loader:\n" + "".join(f"    o{i}.zero_grad(); m{i}(x).sum().backward(); o{i}.step()\n" for i in range(n)),
    "long_training_step": lambda n: "for x, y in loader:\n    opt.zero_grad()\n" + "".join(f"    l{i} = F.cross_entropy(model(x), y)\n    l{i}.backward(retain_graph=True)\n    print(l{i}.item())\n" for i in range(n)) + "    opt.step()\n",
    "classes_with_one_attribute": lambda n: "".join(f"class C{i}(nn.Module):\n    def __init__(self):\n        self.x = nn.Linear(3, 3)\n    def step(self, b): return self.x(b.x).item()\nobject{i} = C{i}()\nobject{i}.step(x)\n" for i in range(n)),
    "findings_in_one_line": lambda n: f"l = [{many('torch.zeros(#).cuda()')(n)}]\n",
    "entries": lambda n: "table = {}\n" + "".join(f"table['k{i}'] = torch.zeros({i})\n" for i in range(n)) + "".join(f"z{i} = table['k{i}'].cuda()\n" for i in range(n)),
    "options": lambda n: "p = argparse.ArgumentParser()\n" + "".join(f"p.add_argument('--a{i}', type=int, default={i})\n" for i in range(n)) + "args = p.parse_args()\n" + "".join(f"y{i} = torch.zeros(args.a{i}).cuda()\n" for i in range(n)),
    "named_cases": lambda n: "match x:\n" + "".join(f"    case {{'k{i}': [a{i}, *rest], **more}} if a{i} > {i}: y = torch.zeros({i}).cuda()\n" for i in range(n)) + "    case _: y = None\nz = y\n",
    "circles_of_methods": lambda n: "class C(nn.Module):\n" + "".join(f"    def m{i}(self, x): return self.m{(i * 7 + 1) % n}(x) + self.m{(i * 13 + 5) % n}(x.item())\n" for i in range(n)) + "C().m0(torch.zeros(3))\n",
    "classes_of_classes": lambda n: "class C0(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a0 = nn.Linear(3, 3)\n" + "".join(f"class C{i}(C{i - 1}):\n    def __init__(self):\n        super().__init__()\n        self.a{i} = nn.Linear(3, 3)\n" for i in range(1, n)) + f"c = C{n - 1}()\nc.a3(torch.zeros(3))\n",
    "handlers_of_requests": lambda n: "app = FastAPI()\n" + "".join(f"@app.post('/{i}')\nasync def h{i}(r):\n    m = torch.load('a')\n    return m(r).tolist()\n" for i in range(n)),
    "registered_functions": lambda n: "table = {}\ndef register(name):\n    def wrap(f):\n        table[name] = f\n        return f\n    return wrap\n" + "".join(f"@register('k{i}')\ndef f{i}(x): return torch.relu(x)\ny{i} = table[chosen](torch.zeros(3)).item()\n" for i in range(n)),
    "table_of_functions": lambda n: "".join(f"def f{i}(x): return torch.relu(x)\n" for i in range(n)) + f"table = {{{many(chr(39) + 'k#' + chr(39) + ': f#')(n)}}}\n" + "".join(f"y{i} = table[chosen](torch.zeros(3)).item()\n" for i in range(n)),
    "counted_names": lambda n: "@tf.function\ndef step(x): return x\ndef fit():\n" + "".join(f"    a{i} = 0\n" for i in range(n)) + "    while True:\n" + "".join(f"        a{i} += 1\n        b{i} = a{i} / 2\n        step(b{i})\n" for i in range(n)),
    "counting_loops": lambda n: "@tf.function\ndef step(x): return x\ndef fit():\n" + "".join(f"    a{i} = 0\n    while q:\n        a{i} = a{i} + 1\n        step(a{i})\n" for i in range(n)),
    "one_name_counted": lambda n: "@tf.function\ndef step(x): return x\ndef fit():\n    a = 0\n" + "    while q:\n        a = a + 1\n        step(a)\n        b = [a for a in q]\n" * n,
    "methods_that_return_methods": lambda n: "class M:\n    def __init__(self):\n        self.s = 0\n" + "".join(f"    def w{k}(self):\n" + f"        if self.q: return self.w{k + 1}() + self.w{k + 1}()\n" * (n // 10) for k in range(9)) + "    def w9(self): return self.s\n    @tf.function\n    def step(self, x): return x\n    def fit(self):\n        while True:\n            self.s += 1\n            self.step(self.w0())\n            self.optimizer.step()\n",
    "parts_of_files": lambda n: "class D(Dataset):\n    def __len__(self): return 3\n    def __getitem__(self, i):\n" + "".join(f"        s{k} = np.load(self.p[i])\n        y{k} = s{k}[i]\n" for k in range(n)) + "        return y3\n",
    "names_of_an_item": lambda n: "class D(Dataset):\n    def __len__(self): return 3\n    def __getitem__(self, i):\n" + "".join(f"        a{k} = a{k + 1}\n" for k in range(n)) + f"        a{n} = i\n        s = np.load(self.p[a0])\n        return s[a0]\n",
    "metrics_of_epochs": lambda n: "".join(f"class F{i}:\n    def __init__(self):\n        self.m{i} = tf.keras.metrics.Mean()\n    def fit(self, data):\n        for e in range(9):\n            for x in data:\n                self.m{i}.update_state(x)\n            print(self.m{i}.result())\n" for i in range(n)),
    "called_by_many": lambda n: "@tf.function\ndef step(x): return x\ndef a(x): step(x)\n" + "".join(f"def b{i}(x):\n    a(x)\n    for k in range(99): a(k)\n" for i in range(n)) + "".join(f"for k in range(99): b{i}(k)\n" for i in range(n)),
    "used_parameters": lambda n: f"def f({many('a#')(n)}):\n" + "".join(f"    a{i}.cuda(); a{i}.item(); y = a{i}(a{(i + 1) % n}); y.backward()\n" for i in range(n)) + f"f({many('torch.zeros(3)')(n)})\n",
    "all_names": lambda n: f"__all__ = [{many(chr(39) + 'n#' + chr(39))(n)}]\n" + "".join(f"n{i} = {i}\n" for i in range(n)),
}


def in_a_function(text):
    return HEAD + "def around(x, loader, model):\n    for step in loader:\n" + textwrap.indent(text, "        ") + "\n    return x\n"


def in_a_module(text):
    return HEAD + text


def in_a_forward_pass(text):
    return HEAD + "class Around(nn.Module):\n    def forward(self, x, loader, model):\n" + textwrap.indent(text, "        ") + "\n        return x\n\n\nAround()(1, 2, 3)\n"


PLACES = {"module": in_a_module, "function": in_a_function, "forward": in_a_forward_pass}


# ---- Projects: a function gives the files of one of about n lines --------------------------------------------------------


def star_hub(n):
    """Everybody takes over all names from everybody, through one module."""
    files = {"hub.py": "".join(f"from m{i} import *\n" for i in range(n // 10))}
    for i in range(n // 10):
        files[f"m{i}.py"] = f"import torch\nfrom hub import *\nname{i} = torch.zeros({i})\ndef f{i}(x): return name{(i + 1) % (n // 10)} + x\n"
    return files


def star_chain(n):
    files = {"m0.py": "import torch\n" + "".join(f"n{i} = torch.zeros({i})\n" for i in range(200))}
    for i in range(1, n // 10):
        files[f"m{i}.py"] = f"from m{i - 1} import *\nx{i} = n{i % 200}.item()\n"
    return files


def star_chain_that_grows(n):
    """Each file hands on the names of all before it, and has some of its own."""
    count = n // 5
    return {f"m{i}.py": ("import torch\n" if i == 0 else f"from m{i - 1} import *\n") +
            f"x{i} = torch.zeros({i})\ndef f{i}(a): return x{max(i - 1, 0)} + a\nclass C{i}: y = f{i}(x{i})\n" for i in range(count)}


def circle_of_imports(n):
    return {f"m{i}.py": f"import torch\nfrom m{(i + 1) % (n // 10)} import f as g\ndef f(x): return g(torch.relu(x))\n" for i in range(n // 10)}


def packages_in_packages(n):
    depth = min(n // 10, 200)
    files = {"p/" * i + "__init__.py": "from .p import *\nimport torch\n" for i in range(1, depth)}
    files["p/" * depth + "__init__.py"] = "import torch\nx = torch.zeros(3)\n"
    return files


def same_names(n):
    """Many files of the same name: which one does an import mean?"""
    files = {f"d{i}/utils.py": "import torch\ndef f(x): return torch.relu(x)\n" for i in range(n // 10)}
    files.update({f"d{i}/main.py": "from utils import f\nimport torch\nf(torch.zeros(3))\n" for i in range(n // 10)})
    return files


PROJECTS = {made.__name__: made for made in (star_hub, star_chain, star_chain_that_grows, circle_of_imports, packages_in_packages, same_names)}
