"""Programs whose parts lead to each other: calls, values, classes, layers, stages and files in long chains, ladders, circles and
hubs. They go on where generated.py ends, and growth.py and wide_test.py use both.
"""

import json
import textwrap


def lines(pattern, n, first=0):
    return "".join(pattern.format(i=i, j=i + 1, k=i - 1, last=n - 1, half=i // 2, third=i // 3, other=(i * 7 + 3) % n) for i in range(first, n))


def chain(pattern, before="", after=""):
    """`pattern` for each number; {i} is the number, {j} the next, {k} the one before, {other} some other one."""
    return lambda n: before + lines(pattern, n) + after.format(last=n - 1, n=n)


def inside(head, pattern, before="", after="", tail="", depth=1):
    """The same, in the block of `head`, which ends with `tail`."""
    def made(n):
        block = textwrap.indent(lines(pattern, n) + tail.format(last=n - 1, n=n), "    " * depth)
        return before + head + block + after.format(last=n - 1, n=n)
    return made


def groups_of(size, made):
    """Things that may not be deeper than `size`, as many as make up n."""
    return lambda n: "".join(made(g, min(size, n)) for g in range(max(1, n // size)))


WIDE = {
    # Calls
    "ladder_of_calls": chain("def f{i}(x): return f{j}(x) + f{j}(x.relu())\n", after="f0(torch.zeros(3)).item()\n"),
    "calls_two_steps_on": chain("def f{i}(x):\n    if x.sum() > {i}: return f{j}(x)\n    return f{half}(x.cuda())\n", after="f0(torch.zeros(3))\n"),
    "everybody_calls_everybody": lambda n: "".join(
        f"def f{i}(x):\n" + "".join(f"    x = f{(i + 7 * k) % max(1, n // 10)}(x)\n" for k in range(10)) + "    return x.item()\n"
        for i in range(max(1, n // 10))) + "f0(torch.zeros(3))\n",
    "one_function_called_with_all": chain("def g{i}(x): return x.item() + {i}\nz{i} = apply(g{i}, torch.zeros({i}))\n", "def apply(f, x):\n    for k in range(9): x = f(x)\n    return x\n"),
    "functions_made_by_functions": chain("def make{i}(model):\n    def inner(x): return make{k}(model)(model(x))\n    return inner\ny{i} = make{i}(torch.nn.Linear(3, 3))(torch.zeros(3))\n"),
    "passed_through": chain("def f{i}(*args, **kwargs): return f{j}(*args, a{i}={i}, **kwargs)\n", after="f0(torch.zeros(3), model=model, lr=1)\n"),
    "passed_by_name": chain("def f{i}(model, loader, optimizer, device): return f{j}(model=model, loader=loader, optimizer=optimizer, device=device)\n", after="f0(model, loader, torch.optim.SGD(model.parameters(), 0.1), 'cuda')\n"),
    "returns_of_many": lambda n: f"def f(x):\n    return {', '.join(f'x + {i}' for i in range(n))}\n{', '.join(f'a{i}' for i in range(n))} = f(torch.zeros(3))\nprint(a1.item())\n",
    "closures_in_closures": groups_of(40, lambda g, d: "".join("    " * i + f"def c{g}_{i}(x{i}):\n" + "    " * (i + 1) + f"y{i} = x{i}.cuda()\n" for i in range(d)) + "    " * d + f"return {' + '.join(f'y{i}' for i in range(d))}\n"),
    "lambdas_in_a_list": lambda n: "fs = [" + ", ".join(f"lambda x, k={i}: torch.relu(x) + k" for i in range(n)) + "]\nfor f in fs:\n    print(f(torch.zeros(3)).item())\n",
    "lambdas_that_call": chain("l{i} = lambda x: l{k}(x) if x.sum() > {i} else l{half}(x).item()\n"),
    "generators_of_generators": chain("def g{j}(it):\n    for x in g{i}(it): yield x.cuda() + {i}\n", "def g0(it): yield from it\n", "for x in g{last}(loader): print(model(x).item())\n"),
    "wrapped_again": chain("def w{i}(f):\n    @functools.wraps(f)\n    def g(*a, **k): return f(*a, **k)\n    return g\n@w{i}\ndef h{i}(x): return h{k}(x).item()\n", "import functools\n"),
    "one_with_all_decorators": lambda n: lines("def w{i}(f):\n    def g(x): return f(x.cuda())\n    return g\n", n) + lines("@w{i}\n", n) + "def h(x): return x.item()\nfor x in loader: h(x)\n",
    "awaits_of_awaits": chain("async def f{i}(x):\n    y = await f{j}(x)\n    return await asyncio.gather(f{half}(y), f{j}(y.item()))\n", "import asyncio\n"),
    "rebound_functions": chain("old{i} = f\ndef f(x): return old{i}(x) + {i}\n", "def f(x): return x\n", "f(torch.zeros(3)).item()\n"),
    # Values
    "flags": inside("def f(x, o):\n", "if o.a{i}: x = x.cuda()\nelse: x = x.cpu()\n", tail="return x.item()\n", after="f(torch.zeros(3), o)\n"),
    "flags_of_many_names": inside("def f(o):\n", "if o.a{i}: x{i} = torch.zeros({i})\nelif o.b{i}: x{i} = x{half}\n", tail="return x{last}.item()\n"),
    "conditional_values": chain("x = a{i} if c{i} else x\n", "x = torch.zeros(3)\n", "x.item()\n"),
    "conditional_tables": chain("x{j} = x{i} if c{i} else x{half}\n", "x0 = torch.zeros(3)\n", "x{last}.item()\n"),
    "turned_round": lambda n: lines("a{i} = torch.zeros({i})\n", n) + "for x in loader:\n    " + ", ".join(f"a{i}" for i in range(n)) + " = " + ", ".join(f"a{(i + 1) % n}" for i in range(n)) + "\n    a0.item()\n",
    "turned_one_by_one": lambda n: lines("a{i} = torch.zeros({i})\n", n) + "for x in loader:\n" + lines("    a{i} = a{j}\n", n) + f"    a{n} = a0 + x\n    print(a3.item())\n",
    "carried_backwards": lambda n: "while model(x):\n" + "".join(f"    a{i + 1} = a{i}.detach() + 1\n" for i in reversed(range(n))) + "    a0 = model(x)\n    a3.backward()\n",
    "swaps": chain("a{i}, a{other} = a{other}, a{i}\n"),
    "keyword_tables": chain("kw['k{i}'] = torch.zeros({i})\ny{i} = f(**kw)\n", "def f(**k): return k['k3'].item()\nkw = {}\n"),
    "tables_of_tables": chain("t{j} = dict(t{i}, k{i}={{'a': t{half}, 'b': [torch.zeros({i})]}})\n", "t0 = {}\n", "t{last}['k3']['b'][0].item()\n"),
    "nested_settings": lambda n: "cfg = " + "dict(a=3, b=dict(c=" * min(n, 80) + "1" + "))" * min(n, 80) + "\n" + lines("y{i} = torch.zeros(cfg.b.c.b.c.a{i})\ncfg.b['c']['n{i}'] = y{i}\n", n),
    "settings_handed_on": chain("cfg.model.l{i} = cfg.model.l{half}\nm{i} = nn.Linear(cfg.model.l{i}.a, cfg['model']['l{other}'].b)\n"),
    "texts_put_together": chain("s += 'part {i} ' + str({i})\np = os.path.join(s, f'{{s}}-{i}')\n", "import os\ns = ''\n", "torch.load(p)\n"),
    "filled_texts": chain("print(f'{{loss{i}.item():.3f}} {{model(x{i}).cpu().numpy()!r:>{{w}}}} {{[a.item() for a in x{i}]}}')\n"),
    "lists_in_lists": chain("l{j} = [l{i}, l{half}]\nl{j}.append(l{i}[0])\n", "l0 = []\n", "l{last}[0][0][0].append(torch.zeros(3))\n"),
    "lists_that_share": chain("l.append(torch.zeros({i}))\nm{i} = l\nm{i}[{i}].cuda()\n", "l = []\n"),
    "globals_written": chain("def f{i}():\n    global g{i}, g{half}, everything\n    g{i} = everything\n    everything = g{half}.cuda()\n", "everything = torch.zeros(3)\n"),
    "globals_read": chain("g{i} = torch.zeros({i})\ndef f{i}(x): return g{other}.cuda() + g{i}.item() + f{half}(x)\n"),
    "nonlocals": inside("def f(x):\n", "def g{i}():\n    nonlocal x\n    x = x.cuda() + {i}\ng{i}()\n", tail="return x.item()\n"),
    "deleted_and_bound_again": chain("x = torch.zeros({i})\ny = x.cuda()\ndel x, y\n"),
    "tries": chain("try:\n    x = model(x)\nexcept (E{i}, ValueError) as error:\n    x = y{i}\nelse:\n    y{j} = x.item()\nfinally:\n    x = x.detach()\n"),
    "tries_in_tries": groups_of(30, lambda g, d: "".join("    " * i + f"try:\n" + "    " * (i + 1) + f"x = f{g}(x)\n" for i in range(d)) + "".join("    " * i + f"except E{i}: x = x.cuda()\n" + "    " * i + "finally: x.item()\n" for i in reversed(range(d)))),
    "ways_out_of_loops": chain("for x in loader:\n    if x > {i}: break\n    if x < {i}: continue\n    while x:\n        x = model(x)\n        if x.item(): break\n    else: continue\n    break\n"),
    "loops_in_loops_with_names": groups_of(15, lambda g, d: "".join("    " * i + f"for a{i} in range(len(b{g})):\n" + "    " * (i + 1) + f"t{i} = t{i} + b{g}[a{i}].item()\n" for i in range(d))),
    "items_of_items": chain("for i in range(len(x)):\n    for j in range(len(x[i])):\n        y{i}[i][j] = x[i][j].item() + y{half}[j][i]\n"),
    "comprehensions_in_comprehensions": groups_of(30, lambda g, d: f"c{g} = " + "[" * d + f"model(x0)" + "".join(f" for x{i} in x{i + 1}]" for i in range(d)) + "\n"),
    "patterns": chain("match x{i}:\n    case C{i}(a=torch.Tensor() as t{i}, b=[y, *rest]) | D(y, rest, t{i}): z{i} = t{i}.cuda()\n    case {{'k': v, **more}} if v.item(): z{i} = v\n"),
    "types_by_name": chain("T{i} = Union['T{j}', List['T{half}'], None]\ndef f{i}(x: T{i}, y: 'Optional[T{other}]' = None) -> 'T{j}': return x.item()\n", "from typing import List, Optional, Union\n"),
    "asserts": chain("assert x{i}.sum() == {i} and not torch.isnan(x{i}).any(), f'{{x{i}}}'\n"),
    "computed_sizes": chain("n{j} = n{i} * 2 + n{half} // 3\nx{i} = torch.zeros(n{i}, n{half}).view(n{half}, -1)\n", "n0 = 3\n"),
    "indices_of_names": chain("x = x[y{i}[x[{i}]:n{half}], ..., None]\n"),
    "constants_in_circles": chain("A{i} = A{j} + A{half} if DEBUG else A{other}\nx{i} = torch.zeros(A{i}).cuda()\n"),
    # Classes and objects
    "grid_of_mixins": chain("class M{i}:\n    def forward(self, x): return super().forward(x).cuda()\nclass C{j}(M{i}, C{i}): pass\n", "class C0(nn.Module):\n    def forward(self, x): return x\n", "C{last}()(torch.zeros(3))\n"),
    "wide_and_deep_bases": lambda n: "class B0(nn.Module): pass\n" + "".join(f"class B{i}({', '.join(f'B{k}' for k in range(i - 1, max(-1, i - 12), -1))}): a{i} = {i}\n" for i in range(1, n)) + f"B{n - 1}().a3.cuda()\n",
    "attributes_of_self": lambda n: "class C(nn.Module):\n    def __init__(self):\n        super().__init__()\n" + lines("        self.a{i} = torch.zeros({i})\n", n) + lines("    def m{i}(self, x):\n        self.a{i} = self.a{other} + x.item()\n        return self.m{half}(self.a{i})\n", n) + "C().m0(3)\n",
    "one_attribute_of_self": lambda n: "class C(nn.Module):\n    def __init__(self): self.x = torch.zeros(3)\n" + lines("    def m{i}(self):\n        self.x = self.m{half}().cuda() + self.x\n        return self.x.item()\n", n),
    "unknown_receivers": chain("class C{i}:\n    def step(self, x): return x.item()\n    def forward(self, x): return self.child.forward(x).step({i})\ndef f{i}(o): return o.step(o.forward(o))\nf{i}(C{other}())\n"),
    "properties": inside("class C:\n", "@property\ndef p{i}(self): return self.p{half}.cuda()\n@p{i}.setter\ndef p{i}(self, v): self.p{j} = v.item()\n", after="C().p3 = C().p{last}\n"),
    "classes_that_name_classes": chain("class C{i}:\n    x = torch.zeros({i})\n    y = C{half}.y if FIRST else C{other}.x.cuda()\n    z = [C{half}.x for _ in loader]\n"),
    "objects_handed_on": chain("class C{i}:\n    def __init__(self, inner): self.inner = inner\n    def __call__(self, x): return self.inner(x).cuda()\no{j} = C{i}(o{i})\n", "o0 = nn.Linear(3, 3)\n", "for x in loader: o{last}(x).item()\n"),
    "one_wrapper_again": chain("o = C(o)\n", "class C(nn.Module):\n    def __init__(self, inner):\n        super().__init__()\n        self.inner = inner\n    def forward(self, x): return self.inner(x)\no = nn.Linear(3, 3)\n", "for x in loader: o(x).item()\n"),
    "long_paths": chain("x.a{i} = x.a{half}.b.c.d\nx.a{i}.b.c.d.e = torch.zeros({i})\nx.a{other}.b.c.d.e.item()\n"),
    "names_by_text": chain("setattr(self, 'l{i}', nn.Linear(3, 3))\ny{i} = getattr(self, f'l{{k}}')(x) + getattr(self, 'l{other}')(x)\n"),
    "fields": lambda n: "@dataclasses.dataclass\nclass C:\n" + lines("    a{i}: torch.Tensor = None\n", n) + "c = C(" + ", ".join(f"a{i}=torch.zeros({i})" for i in range(n)) + ")\n" + lines("c.a{i}.cuda()\n", n) + "d = dataclasses.replace(c, a3=c.a4)\n",
    "named_tuples": lambda n: f"P = collections.namedtuple('P', '{' '.join(f'a{i}' for i in range(n))}')\np = P({', '.join(f'torch.zeros({i})' for i in range(n))})\n" + lines("p.a{i}.cuda()\n", n),
    "members": lambda n: "class E(enum.Enum):\n" + lines("    A{i} = {i}\n", n) + lines("if x is E.A{i}: y = torch.zeros(E.A{other}.value)\n", n),
    "class_methods": inside("class C(nn.Module):\n", "@classmethod\ndef make{i}(cls, *a): return cls.make{half}(*a).cuda()\n@staticmethod\ndef s{i}(x): return C.s{half}(x).item()\n", after="C.make3().s{last}(1)\n"),
    # Layers
    "layers_one_by_one": lambda n: "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n" + lines("        self.l{i} = nn.Linear({i}, {j})\n", n) + "    def forward(self, x):\n" + lines("        x = F.relu(self.l{i}(x))\n", n) + "        return x\nM()(torch.zeros(1, 0))\n",
    "layers_in_lists": lambda n: "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n" + lines("        self.ls.append(nn.ModuleList([nn.Linear(3, 3), nn.Dropout()]))\n        self.d['k{i}'] = self.ls[{i}]\n", n) + "    def forward(self, x):\n        for l in self.ls:\n            for k in l: x = k(x)\n" + lines("        x = self.ls[{i}][0](self.d['k{other}'][1](x))\n", n) + "        return x\nM()(torch.zeros(3, 3))\n",
    "sequences_in_sequences": groups_of(40, lambda g, d: f"s{g} = " + "nn.Sequential(nn.Linear(3, 3), " * d + "nn.ReLU()" + ")" * d + f"\ns{g}(torch.zeros(2, 4))\n"),
    "blocks_made_by_loops": chain("m{i} = nn.Sequential(*[nn.Sequential(nn.Conv2d(3, 3, k), *m{k}) for k in range({i}, 20)])\n", "m0 = [nn.Linear(3, 3)]\n", "m{last}(torch.zeros(1, 3, 8, 8))\n"),
    "residuals": inside("def f(x):\n", "y{i} = F.relu(nn.Linear(8, 8)(x) + x)\nx = torch.cat([x, y{i}], 1)[:, :8]\n", tail="return x\n", after="f(torch.zeros(2, 8))\n"),
    "graph_of_layers": chain("k{j} = tf.keras.layers.Add()([k{i}, k{half}, k{third}])\n", "k0 = tf.keras.Input((3,))\n", "tf.keras.Model(k0, k{last}).fit(x, y)\n"),
    "models_in_models": chain("s{j} = tf.keras.Sequential([s{i}, tf.keras.layers.Dense({i}), s{half}])\ns{j}.compile('adam', 'mse')\n", "s0 = tf.keras.layers.Dense(3)\n", "s{last}.fit(x, y, epochs=3)\n"),
    "hooks": chain("h{i} = model.l{i}.register_forward_hook(lambda m, a, o: o.item() + {i})\nh{half}.remove()\n"),
    # Training
    "optimizers_in_a_list": chain("opts.append(torch.optim.Adam(models[{i}].parameters()))\nfor o in opts: o.zero_grad()\nmodels[{i}](x).sum().backward()\nopts[{other}].step()\n", "opts, models = [], [nn.Linear(3, 3) for _ in range(9)]\n"),
    "one_model_many_optimizers": inside("for x, y in loader:\n", "o{i} = torch.optim.SGD(model.parameters(), lr={i})\ns{i} = torch.optim.lr_scheduler.StepLR(o{i}, 3)\nmodel(x).sum().backward()\no{other}.step()\ns{half}.step()\n"),
    "losses_in_one_step": inside("for x, y in loader:\n    opt.zero_grad()\n", "l{j} = l{i} + F.cross_entropy(model.h{i}(x), y) * l{half}.detach()\n", tail="l{last}.backward()\nopt.step()\n"),
    "steps_of_one_trainer": inside("class T:\n", "def step{i}(self, b):\n    self.opt{i}.zero_grad()\n    l = self.model(b).mean()\n    l.backward()\n    self.opt{half}.step()\n    self.log{i} = self.step{k}(b)\n    return l.item()\n", after="for b in loader: T().step{last}(b)\n"),
    "metrics_by_stage": lambda n: "class L(pl.LightningModule):\n    def __init__(self):\n        super().__init__()\n" + lines("        self.acc{i} = torchmetrics.Accuracy()\n", n) + "".join(f"    def {stage}_step(self, b, i):\n" + lines(f"        self.acc{{i}}(b, b)\n        self.log('{stage}_acc{{i}}', self.acc{{i}})\n", n) for stage in ("training", "validation", "test")),
    "metrics_by_alias": lambda n: "class L(pl.LightningModule):\n    def __init__(self):\n        super().__init__()\n        self.a0 = torchmetrics.Accuracy()\n" + lines("        self.a{j} = self.a{i}\n", n) + "".join(f"    def {stage}_step(self, b, i):\n" + lines(f"        m{{i}} = self.a{{other}}\n        m{{i}}.update(b, b)\n        self.log('a', m{{i}}.compute())\n", n) for stage in ("training", "validation")),
    "frozen_parts": chain("for p in model.l{i}.parameters(): p.requires_grad = False\nmodel.l{half}.eval()\no{i} = torch.optim.SGD(filter(lambda p: p.requires_grad, model.l{i}.parameters()), 0.1)\n"),
    "saved_parts": chain("torch.save({{'m': model{i}.state_dict(), 'o': opt{half}.state_dict()}}, f'{{d}}/c{i}.pt')\nc{i} = torch.load(f'{{d}}/c{other}.pt')\nmodel{i}.load_state_dict(c{i}['m'])\n"),
    "all_reduces": inside("for x in loader:\n", "torch.distributed.all_reduce(x.l{i})\nif rank == {i}: torch.distributed.barrier()\ntorch.distributed.broadcast(x.l{half}, {i})\n"),
    "times": inside("def f(x):\n", "t{i} = time.time()\ny = model(x)\nprint(time.time() - t{half}, time.time() - t{i})\n", before="import time\n"),
    "contexts": groups_of(18, lambda g, d: "".join("    " * i + f"with torch.no_grad(), torch.cuda.amp.autocast() as c{i}, open('a{i}') as f{i}:\n" for i in range(d)) + "    " * d + "x = model(x).item()\n"),
    # Data
    "datasets_in_datasets": chain("class D{j}(Dataset):\n    def __init__(self): self.inner = D{i}()\n    def __len__(self): return len(self.inner)\n    def __getitem__(self, i): return self.inner[i].cuda(), np.load(self.inner.p[i])\n", "class D0(Dataset):\n    def __getitem__(self, i): return torch.load('a')\n", "for x in DataLoader(D{last}(), 3): x.item()\n"),
    "transforms": lambda n: "class D(Dataset):\n    def __init__(self): self.t = T.Compose([" + ", ".join(f"T.Lambda(lambda x: f{i}(x))" for i in range(n)) + "])\n    def __getitem__(self, i): return self.t(i)\n" + lines("def f{i}(x): return f{half}(x).cuda()\n", n) + "for x in DataLoader(D(), num_workers=3): pass\n",
    "loaders_in_step": lambda n: lines("l{i} = DataLoader(D(), {j}, num_workers=l{half}.num_workers)\n", n) + "for " + ", ".join(f"a{i}" for i in range(n)) + " in zip(" + ", ".join(f"l{i}" for i in range(n)) + "):\n" + lines("    model(a{i}).item()\n", n),
    "stages_one_by_one": chain("d = d.map(lambda x: x + {i})\n", "d = tf.data.Dataset.range(9)\n", "for x in d.batch(3): print(x)\n"),
    "stages_with_names": chain("d{j} = d{i}.map(f{half}).filter(f{i}).cache()\ndef f{i}(x): return tf.py_function(f{j}, [x], tf.int32)\n", "d0 = tf.data.Dataset.range(9)\n", "for x in d{last}.batch(3): print(x)\n"),
    "stages_that_join": chain("d{j} = tf.data.Dataset.zip((d{i}, d{half})).concatenate(d{third}.repeat().shuffle(3))\n", "d0 = tf.data.Dataset.range(9)\n", "model.fit(d{last}.batch(3).prefetch(1))\n"),
    "stages_in_stages": groups_of(25, lambda g, d: f"i{g} = " + "tf.data.Dataset.range(9).interleave(lambda x: " * d + "tf.data.TFRecordDataset(x)" + ").batch(2)" * d + f"\nmodel.fit(i{g})\n"),
    "stages_in_branches": inside("def data(d, o):\n", "if o.a{i}: d = d.shuffle({i})\nelse: d = d.batch({i}).cache()\n", tail="return d\n", after="for x in data(tf.data.Dataset.range(9), o): print(x)\n"),
    # Sessions and graphs
    "runs_of_one_session": lambda n: "p = tf.placeholder(tf.float32)\n" + lines("t{j} = tf.add(t{i}, t{half}) * p\n", n) + "with tf.Session() as sess:\n" + lines("    a{i} = sess.run([t{i}, t{half}], feed_dict={{p: a{k}}})\n", n),
    "runs_in_loops": lambda n: "with tf.Session() as s:\n    for e in range(9):\n" + lines("        s.run(tf.assign(v{i}, v{other} + tf.constant({i})))\n        s.run(o{half})\n", n),
    "sessions_in_functions": chain("def run{i}(sess, x):\n    t = tf.matmul(x, run{half}(sess, x))\n    return sess.run(t)\n", after="with tf.Session() as sess:\n    for k in range(9): run{last}(sess, tf.zeros(3))\n"),
    "traced_by_traced": chain("@tf.function\ndef f{i}(x):\n    print(x)\n    for k in tf.range({i}): x = f{half}(x) + v{other}.assign_add(1)\n    return x if x > 0 else f{j}(x)\n", after="for i in range(9): f{last}(i)\n"),
    # JAX
    "jitted_by_jitted": chain("@functools.partial(jax.jit, static_argnums=({i},))\ndef f{i}(x, n):\n    if x.sum() > 0: return f{half}(x, n)\n    return f{k}(np.asarray(x), n).item()\n", "import functools\n", "f{last}(jnp.ones(3), 3)\n"),
    "keys_handed_on": chain("def f{i}(key, x):\n    key, a, b = jax.random.split(key, 3)\n    return jax.random.normal(key, (3,)) + f{half}(a, x) + f{k}(b, x)\n", after="f{last}(jax.random.PRNGKey(0), 3)\n"),
    "keys_of_one_split": lambda n: f"keys = jax.random.split(jax.random.PRNGKey(0), {n})\n" + lines("x{i} = jax.random.normal(keys[{i}], (3,)) + jax.random.uniform(keys[{half}])\n", n),
    "scans_in_scans": groups_of(20, lambda g, d: f"def s{g}(c, x): return c + x.item(), x\ny{g} = " + "jax.lax.scan(lambda c, x: " * d + f"s{g}(c, x)" + ", 0, jnp.ones(3))" * d + "\n"),
    "transformed_again": chain("g{j} = jax.jit(jax.vmap(jax.grad(g{i}), in_axes=({i}, None)))\n", "def g0(x): return jnp.sum(x)\n", "for k in range(9): g{last}(jnp.ones(3)).item()\n"),
    "updated_in_place": inside("@jax.jit\ndef f(x):\n", "x = x.at[{i}].set(x[{half}] + jnp.where(x > {i}, x, 0).sum())\nx[{i}] = 3\n", tail="return x\n"),
    # Frames and arrays
    "columns_of_columns": chain("df['c{j}'] = df['c{i}'].apply(lambda x: x + {i}) + df['c{half}']\ndf = df.append(df[df.c{i} > {i}])\n", "df = pd.read_csv('a')\n"),
    "one_long_frame": lambda n: "df = (pd.read_csv('a')\n" + lines("    .assign(a{i}=lambda d: d.a{half}.apply(float))\n", min(n, 1900)) + ")\n",
    "arrays_that_grow": chain("a{j} = np.concatenate([a{i}, a{half}])\nfor k in range(3): a{j} = np.append(a{j}, a{i}[k])\n", "a0 = np.zeros(3)\n"),
    # Registries
    "registered_classes": chain("@MODELS.register_module()\nclass M{i}(nn.Module):\n    def __init__(self, inner): self.inner = MODELS.build(dict(type='M{half}', inner=inner))\n    def forward(self, x): return self.inner(x).item()\n", "class Registry:\n    def __init__(self): self.table = {}\n    def register_module(self):\n        def wrap(c):\n            self.table[c.__name__] = c\n            return c\n        return wrap\n    def build(self, cfg): return self.table[cfg.pop('type')](**cfg)\nMODELS = Registry()\n", "MODELS.build(cfg)(torch.zeros(3))\n"),
    "registered_and_traced": chain("@register\n@tf.function\ndef f{i}(x):\n    v = tf.Variable({i})\n    print(x)\n    return table['f{half}'](x) + v\n", "table = {}\ndef register(f):\n    table[f.__name__] = f\n    return f\n", "for name in table: table[name](3)\nfor i in range(9): table.get(name)(i)\n"),
    "registered_and_jitted": chain("@register('f{i}')\n@jax.jit\ndef f{i}(x, n):\n    if x > {i}: print(x)\n    return TABLE['f{half}'](x, n).item()\nfor k in range(9): TABLE['f{i}'](jnp.ones(k), k)\n", "TABLE = {}\ndef register(n):\n    def w(f):\n        TABLE[n] = f\n        return f\n    return w\n"),
    "handlers_in_tables": lambda n: "class C:\n    def __init__(self):\n        self.t = {" + ", ".join(f"'k{i}': self.h{i}" for i in range(n)) + "}\n" + lines("    def h{i}(self, x): return self.t[x.kind](x).item()\n", n) + "    def run(self, loader):\n        for x in loader: self.t[x.kind](x)\n",
    # Wrong and odd
    "wide_wrong_indents": lambda n: "".join(" " * (i * 37 % 400) + f"x{i} = model(x).item()\n" for i in range(n)),
    "steps_down": lambda n: "".join(" " * min(i, 95) + "if x:\n" for i in range(96)) + "".join(" " * ((n - i) % 95 + 1) + "x = f(x)\n" for i in range(n)),
    "unclosed_blocks": chain("def f{i}(x:\n    for a in x\n        y{i} = [a.item(\n"),
    "marks_in_blocks": chain("def f{i}(x):\n<<<<<<< a\n    return x.cuda()\n=======\n    return x.item()\n>>>>>>> b{i}\n"),
    "old_statements": chain("print 'a', x{i}.item(), `x`\nexec 'y' in z\nraise E, 'a{i}'\nif x <> {i}: pass\n"),
    "tabs_and_spaces": lambda n: "if x:\n" + "".join(("\t" if i % 2 else "        ") + f"x = f{i}(x)\n" for i in range(n)),
    "suppressed_by_all": chain("x{i} = torch.zeros(3).cuda()  # deepperf: ignore[DP401, DP402, create-then-move] x # noqa # type: ignore\n# deepperf: ignore\n"),
    "one_long_comment": lambda n: "x = torch.zeros(3).cuda()  # " + "deepperf: ignore[DP401] " * n + "\n" + "#" * n * 10 + "\n",
    "magics": chain("%time x{i} = model(x).item()\n!pip install a{i}\nfiles{i} = !ls {{x{half}}}\n?x{i}\nx{i}??\n"),
    "numbers_and_units": lambda n: "x = " + " + ".join(f"1_{i}e-{i}j" for i in range(n)) + "\n",
    "unusual_names": chain("ﬁ{i} = torch.zeros(3)\nfi{i}.cuda()\nК{i}, 变量{i} = ﬁ{i}, К{half}\n变量{other}.item()\n"),
    "escapes": lambda n: "y = '" + "\\N{BULLET}\\x41\\u1234\\777\\q" * n + "'\nz = rb'" + "\\" * (2 * n) + "'\nw = f'" + "{{}}" * n + "'\n",
}


# ---- Projects --------------------------------------------------------------------------------------------------------------


def notebook(sources):
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source} for source in sources]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


def star_tree(n):
    """Each takes over the names of two others, down to the leaves, and the root those of all."""
    count = n // 5
    files = {}
    for i in range(count):
        below = [c for c in (2 * i + 1, 2 * i + 2) if c < count]
        files[f"m{i}.py"] = "import torch\n" + "".join(f"from m{c} import *\n" for c in below) + \
            f"def f{i}(x): return f{min(2 * i + 1, count - 1)}(x).item()\nv{i} = torch.zeros({i})\n"
    return files


def star_diamonds(n):
    count = n // 10
    files = {"m0.py": "import torch\ndef g(x): return x.item()\n"}
    for i in range(1, count):
        files[f"l{i}.py"] = f"from m{i - 1} import *\nlx{i} = g({i})\n"
        files[f"r{i}.py"] = f"from m{i - 1} import *\nrx{i} = g({i})\n"
        files[f"m{i}.py"] = f"from l{i} import *\nfrom r{i} import *\nx{i} = lx{i} + rx{max(1, i // 2)}\n"
    return files


def star_circle(n):
    count = n // 5
    return {f"m{i}.py": f"import torch\nfrom m{(i + 1) % count} import *\nfrom m{(i * 7 + 3) % count} import *\ndef f{i}(x): return f{(i + 5) % count}(x) + torch.zeros({i})\n__all__ = ['f{i}'] + ['f{(i + 1) % count}']\n"
            for i in range(count)}


def names_handed_on(n):
    count = n // 5
    files = {"m0.py": "import torch\ndef f(x): return x.item()\nclass C(torch.nn.Module):\n    def forward(self, x): return f(x)\n"}
    for i in range(1, count):
        files[f"m{i}.py"] = f"from m{i - 1} import f, C as D\nfrom m{i - 1} import C\ny{i} = f(C()(D()))\n"
    return files


def classes_across_files(n):
    count = n // 8
    files = {"m0.py": "import torch\nclass C0(torch.nn.Module):\n    def forward(self, x): return x\n"}
    for i in range(1, count):
        files[f"m{i}.py"] = f"import torch\nfrom m{i - 1} import C{i - 1}\nfrom m{i // 2} import C{i // 2} as B\nclass C{i}(C{i - 1}):\n    def __init__(self):\n        super().__init__()\n        self.b = B()\n        self.l{i} = torch.nn.Linear(3, 3)\n    def forward(self, x): return self.b(super().forward(x)).item()\n"
    return files


def calls_across_files(n):
    count = n // 8
    return {f"m{i}.py": f"import torch\nimport m{(i + 1) % count} as a\nimport m{(i * 7 + 3) % count} as b\ndef f(x, model):\n    for k in range(9): x = a.f(x, model) + b.f(x.cuda(), model)\n    return model(x).item()\nf(torch.zeros({i}), torch.nn.Linear(3, 3))\n"
            for i in range(count)}


def one_for_all(n):
    """A file of helpers that all others call, each with its own model."""
    files = {"helpers.py": "import torch\ndef train(model, loader, optimizer):\n    for x, y in loader:\n        optimizer.zero_grad()\n        l = model(x).sum()\n        l.backward()\n        optimizer.step()\n        print(l.item())\n"}
    for i in range(n // 8):
        files[f"run{i}.py"] = f"import torch\nfrom helpers import train\nclass M{i}(torch.nn.Module):\n    def forward(self, x): return x.cuda()\nm = M{i}()\nfor e in range(9): train(m, loader, torch.optim.SGD(m.parameters(), {i}))\n"
    return files


def all_from_one(n):
    """A file that calls helpers in all others."""
    count = n // 6
    files = {f"part{i}.py": f"import torch\ndef f{i}(x, m):\n    m.state = x.item()\n    return m(x)\n" for i in range(count)}
    files["main.py"] = "import torch\n" + "".join(f"from part{i} import f{i}\n" for i in range(count)) + "def run(x, m):\n" + "".join(f"    x = f{i}(x, m)\n" for i in range(count)) + "    return x\nfor k in range(9): run(torch.zeros(3), torch.nn.Linear(3, 3))\n"
    return files


def wide_package(n):
    count = n // 4
    files = {"p/__init__.py": "".join(f"from .a{i} import *\nfrom . import a{i}\n" for i in range(count)) + f"__all__ = [n for i in range(9) for n in a3.__all__]\n" + "".join(f"__all__ += a{i}.__all__\n" for i in range(count))}
    for i in range(count):
        files[f"p/a{i}.py"] = f"import torch\nfrom . import a{(i * 7 + 3) % count} as other\n__all__ = ['f{i}']\ndef f{i}(x): return other.f{(i * 7 + 3) % count}(x).item()\n"
    files["main.py"] = "import torch\nimport p\nfrom p import *\n" + "".join(f"p.f{i}(p.a{i // 2}.f{i // 2}(f{i}(torch.zeros({i}))))\n" for i in range(count))
    return files


def package_tree(n):
    files, names = {}, [""]
    while len(files) < n // 5:
        name = names.pop(0)
        files[f"{name}__init__.py"] = "".join(f"from .s{k} import *\nfrom .s{k} import value as v{k}\n" for k in range(3)) + "import torch\nvalue = torch.zeros(3)\ndef f(x): return v0.f(x).item()\n"
        names += [f"{name}s{k}/" for k in range(3)]
    return {"root/" + name: text for name, text in files.items()}


def registry_across_files(n):
    files = {"reg.py": "TABLE = {}\ndef register(f):\n    TABLE[f.__name__] = f\n    return f\n", "__init__.py": ""}
    for i in range(n // 6):
        files[f"m{i}.py"] = f"import tensorflow as tf\nimport jax\nfrom reg import register, TABLE\n@register\n@tf.function\ndef f{i}(x):\n    return TABLE['f{i // 2}'](x)\n@register\n@jax.jit\ndef g{i}(x): return TABLE[x.name](x)\n"
    files["main.py"] = "from reg import TABLE\n" + "".join(f"import m{i}\n" for i in range(n // 6)) + "for i in range(9):\n    for n in TABLE: TABLE[n](i)\n"
    return files


def cells_that_redefine(n):
    return {"main.ipynb": notebook(["import torch\nimport tensorflow as tf\nmodel = torch.nn.Linear(3, 3)\n"] + [
        f"model = torch.nn.Sequential(model, torch.nn.Linear(3, {i}))\nfor x, y in loader:\n    loss = model(x.cuda()).sum()\n    history{i} = history{i // 2} + [loss]\n    print(loss.item())\n" for i in range(n)])}


def cells_with_magics(n):
    kinds = ("%%time\nx = model(x).item()\n", "%%capture out\n!pip install a\nx.cuda()\n", "%%bash\npython a.py\n", "%load_ext a\n%matplotlib inline\nx = !ls\n",
             "%%writefile m#.py\nimport torch\nfrom m% import *\ndef f#(x): return x.item()\n", "from m# import *\nf#(torch.zeros(3))\n", "%run m#.py\n%timeit -n 3 f#(x)\n",
             "%%writefile -a all.py\nfrom m# import f#\nx# = f#(3)\n", "import all\nall.x#.cuda()\n", "x?\n??model\nget_ipython().system('ls')\n")
    return {"main.ipynb": notebook(["import torch\n"] + [kinds[i % len(kinds)].replace("#", str(i // 10)).replace("%.", str(i // 20) + ".").replace("m% ", f"m{i // 20} ") for i in range(n)])}


def many_notebooks(n):
    return {f"n{i}.ipynb": notebook(["import torch\n", "%%writefile helper.py\nimport torch\ndef f(x): return x.item()\n", f"from helper import f\nimport helper\nfor x in loader: f(model{i}(x))\n"]) for i in range(n // 10)}


def tests_beside(n):
    count = n // 8
    files = {f"src/m{i}.py": f"import torch\ndef f(x): return x.item()\n" for i in range(count)}
    files |= {f"tests/test_m{i}.py": f"import pytest\nfrom src.m{i} import f\nfrom .conftest import model\ndef test(model): assert f(model(3)) > 0\n" for i in range(count)}
    files["tests/conftest.py"] = "import pytest, torch\n@pytest.fixture\ndef model(): return torch.nn.Linear(3, 3)\n"
    return files


PROJECTS = {made.__name__: made for made in (
    star_tree, star_diamonds, star_circle, names_handed_on, classes_across_files, calls_across_files, one_for_all, all_from_one, wide_package, package_tree,
    registry_across_files, cells_that_redefine, cells_with_magics, many_notebooks, tests_beside)}
