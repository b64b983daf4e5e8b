"""Ways to organise a training program. Each function makes one from the parts of a Program: its text, its files by name, or None where
the parts do not fit."""
import dataclasses
import json
import re

from .program import IMPORTS, Program, filled, indented

STRUCTURES = {}

ENUMERATED = "for i, (x, y) in enumerate({loader}):"


def structure(function):
    STRUCTURES[function.__name__.rstrip("_")] = function
    return function


# ---- Parts ----------------------------------------------------------------------------------------------------------


def text(lines):
    return "\n".join(lines)


def program(p, *parts):
    return p.imports + IMPORTS + p.data + "\n".join((p.net, p.helpers, *parts)) + "\n"


def names_of(p, form="{}"):
    """How the objects of the program are written: `form` is "self.{}" for attributes."""
    return {name: form.format(name) for name in ("model", "device", *(name for name, _ in p.components()))}


def training_lines(p, names, head=ENUMERATED, move=True, unpack=()):
    moved = filled(p.move, names) if move else []
    body = [*unpack, *moved, *filled(p.step, names)]
    return [*filled(p.before, names), head.format(**names), *indented(body), *filled(p.after, names)]


def evaluation_lines(p, names, head=ENUMERATED, move=True, unpack=(), decorated=False):
    moved = filled(p.move, names) if move else []
    loop = [head.format(**names), *indented([*unpack, *moved, *filled(p.eval_step, names)])]
    if p.eval_no_grad and not decorated:
        loop = ["with torch.no_grad():", *indented(loop)]
    return [*filled(p.eval_before, names), *loop, *filled(p.eval_after, names)]


def parameters(p):
    return ", ".join(name for name, _ in p.components())


def functions(p, head=ENUMERATED, **options):
    """train() and evaluate()."""
    names = {**names_of(p), "loader": "loader"}
    return text(["", f"def train(model, loader, {parameters(p)}, device):",
                 *indented(training_lines(p, names, head, **options)), "", "", "def evaluate(model, loader, device):",
                 *indented(evaluation_lines(p, names, head, **options)), ""])


def made(p, names, model=None):
    """The lines that make the model and all that belongs to it."""
    return [f"{names['model']} = {model or p.model + '.to(' + names['device'] + ')'}",
            *(f"{names[name]} = {how.format(**names)}" for name, how in p.components())]


def loaders(p):
    return ["train_loader = " + p.train_loader, "val_loader = " + p.val_loader]


def run(p):
    return [f"train(model, train_loader, {parameters(p)}, device)", "print(epoch, evaluate(model, val_loader, device))"]


def epochs(p, lines, names=None):
    return ["for epoch in range(90):",
            *indented([*lines, *filled(p.epoch, {**names_of(p), "loader": "train_loader", **(names or {})})])]


def main(p, setup=None, lines=None, before=()):
    return text(["", "def main():",
                 *indented(['device = torch.device("cuda")', *(setup or made(p, names_of(p))), *loaders(p), *before,
                            *epochs(p, lines or run(p))]), "", "", 'if __name__ == "__main__":', "    main()"])


SELF = "self.{}"


def trainer_init(p, names, model="model.to(device)"):
    return ["self.device = device", *made(p, names, model), "self.train_loader = train_loader",
            "self.val_loader = val_loader"]


def fit_method(p, names):
    inside = filled(p.epoch, {**names, "loader": "self.train_loader"})
    return ["", "def fit(self, epochs):", "    for epoch in range(epochs):",
            *indented(["self.train_epoch()", "print(epoch, self.evaluate())", *inside], 2)]


def trainer_class(p, names, init, name="Trainer", bases="", methods=(), **options):
    return text(["", f"class {name}{bases}:",
                 *indented(["def __init__(self, model, train_loader, val_loader, device):", *indented(init), "",
                            "def train_epoch(self):",
                            *indented(training_lines(p, {**names, "loader": "self.train_loader"}, **options)), "",
                            "def evaluate(self):",
                            *indented(evaluation_lines(p, {**names, "loader": "self.val_loader"}, **options)),
                            *fit_method(p, names), *methods]), ""])


def trainer_main(p, name="Trainer", model=None):
    return text(["", "def main():",
                 *indented(["model = " + (model or p.model), *loaders(p),
                            f'trainer = {name}(model, train_loader, val_loader, torch.device("cuda"))',
                            "trainer.fit(90)"]), "", "", 'if __name__ == "__main__":', "    main()"])


# ---- Functions and scripts ------------------------------------------------------------------------------------------


@structure
def base(p):
    return program(p, functions(p), main(p))


def script_lines(p):
    names = names_of(p)

    def printed(lines):
        return [f"print({line.removeprefix('return ')})" if line.startswith("return") else line for line in lines]

    training = printed(training_lines(p, {**names, "loader": "train_loader"}))
    evaluation = printed(evaluation_lines(p, {**names, "loader": "val_loader"}))
    return ["", 'device = torch.device("cuda")', *made(p, names), *loaders(p)], epochs(p, [*training, *evaluation])


@structure
def script(p):
    if p.returns_from_step():
        return None
    setup, loop = script_lines(p)
    return program(p, text([*setup, *loop]))


@structure
def inline_main(p):
    if p.returns_from_step():
        return None
    setup, loop = script_lines(p)
    return program(p, text(["", "def main():", *indented([*setup[1:], *loop]), "", "", "main()"]))


@structure
def notebook(p):
    if p.returns_from_step():
        return None
    setup, loop = script_lines(p)
    cells = [p.imports + IMPORTS, p.data, p.net + p.helpers, text(setup), text(loop)]
    return {"train.ipynb": json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
        {"cell_type": "code", "id": str(number), "execution_count": None, "metadata": {}, "outputs": [],
         "source": cell.strip("\n")} for number, cell in enumerate(cells)]})}


@structure
def globals_(p):
    """The objects belong to the module, and functions without parameters use them."""
    names = names_of(p)
    return program(p, text(['', 'device = torch.device("cuda")', *made(p, names), *loaders(p), "", "", "def train():",
                            *indented(training_lines(p, {**names, "loader": "train_loader"})), "", "", "def evaluate():",
                            *indented(evaluation_lines(p, {**names, "loader": "val_loader"})), "", "",
                            *epochs(p, ["train()", "print(epoch, evaluate())"])]))


@structure
def package(p):
    """A file for each part."""
    defined = ", ".join(re.findall(r"^(?:def|class) (\w+)", p.net + p.helpers, re.MULTILINE))
    return {"data.py": IMPORTS + p.imports + p.data,
            "network.py": IMPORTS + p.imports + p.net + "\n" + p.helpers,
            "engine.py": IMPORTS + p.imports + functions(p) + "\n",
            "main.py": IMPORTS + p.imports + f"from data import Images\nfrom network import {defined}\n"
                       "from engine import evaluate, train\n" + main(p) + "\n"}


@structure
def nested(p):
    """train() and evaluate() inside of main(), which see its names."""
    names = names_of(p)
    return program(p, text(["", "def main():", *indented(
        ['device = torch.device("cuda")', *made(p, names), *loaders(p), "", "def train():",
         *indented(training_lines(p, {**names, "loader": "train_loader"})), "", "def evaluate():",
         *indented(evaluation_lines(p, {**names, "loader": "val_loader"})), "",
         *epochs(p, ["train()", "print(epoch, evaluate())"])]), "", "", "main()"]))


@structure
def progress(p):
    return program(p, "from tqdm import tqdm\n", functions(p, "for i, (x, y) in enumerate(tqdm({loader}, leave=False)):"),
                   main(p))


@structure
def counted(p):
    """So many of the batches."""
    return program(p, functions(p, "for i, (x, y) in zip(range(2000), {loader}):"), main(p))


@structure
def chosen_parts(p):
    """A configuration chooses what makes each part."""
    names = names_of(p)
    chosen = [f'config = {{{", ".join(repr(name) + ": " + repr("standard") for name, _ in p.components())}}}',
              *made(dataclasses.replace(p, criterion="nn.Identity()", optimizer="None", extra=()), names)[:1]]
    for name, how in p.components():
        chosen.append(f'{name} = {{"standard": lambda: {how.format(**names)}, "none": lambda: None}}'
                      f'[config.get("{name}", "standard")]()')
    return program(p, functions(p), main(p, chosen))


@structure
def arguments(p):
    """Settings from the command line."""
    names = names_of(p)
    return program(p, "import argparse\n", functions(p), text([
        "", "def main():", *indented([
            "parser = argparse.ArgumentParser()", 'parser.add_argument("--device", default="cuda")',
            'parser.add_argument("--epochs", type=int, default=90)', "args = parser.parse_args()",
            "device = torch.device(args.device)", *made(p, names), *loaders(p),
            *(line.replace("range(90)", "range(args.epochs)") for line in epochs(p, run(p)))]), "", "",
        'if __name__ == "__main__":', "    main()"]))


@structure
def decorated_evaluation(p):
    names = {**names_of(p), "loader": "loader"}
    return program(p, text(["", f"def train(model, loader, {parameters(p)}, device):",
                            *indented(training_lines(p, names)), "", "",
                            *(["@torch.inference_mode()"] if p.eval_no_grad else []),
                            "def evaluate(model, loader, device):",
                            *indented(evaluation_lines(p, names, decorated=True)), ""]), main(p))


@structure
def config(p):
    setup = [line.replace("Net()", 'Net(**CONFIG["model"])').replace("1e-3", 'CONFIG["lr"]')
             for line in made(p, names_of(p))]
    return program(p, text(["", 'CONFIG = {"lr": 1e-3, "epochs": 90, "model": {"width": 64}}', ""]), functions(p),
                   main(p, setup))


@structure
def keyword_dict(p):
    given = ", ".join(f"{name}={name}" for name, _ in p.components())
    return program(p, functions(p), main(p, lines=[
        f"train(**common, loader=train_loader, {given})", "print(epoch, evaluate(**common, loader=val_loader))"],
        before=['common = {"model": model, "device": device}']))


def is_seen_uncalled(p):
    """Is the mistake in the functions or classes themselves? What main() makes is not there."""
    good = Program()
    return all(getattr(p, part) == getattr(good, part)
               for part in ("train_loader", "val_loader", "model", "criterion", "optimizer", "extra", "epoch"))


@structure
def uncalled(p):
    return program(p, functions(p)) if is_seen_uncalled(p) else None


@structure
def uncalled_typed(p):
    types = {"criterion": "nn.Module", "optimizer": "torch.optim.Optimizer"}
    if not is_seen_uncalled(p):
        return None
    typed = ", ".join(f"{name}: {types[name]}" for name, _ in p.components())
    return program(p, functions(p).replace(
        f"(model, loader, {parameters(p)}, device)",
        f"(model: nn.Module, loader: DataLoader, {typed}, device: torch.device)").replace(
        "(model, loader, device)", "(model: nn.Module, loader: DataLoader, device: torch.device)"))


# ---- Objects on their way -------------------------------------------------------------------------------------------


@structure
def tuples(p):
    names = names_of(p)
    return program(p, functions(p), text([
        "", "def build(device):", *indented([*made(p, names), f"return model, {parameters(p)}"]), "", "",
        "def loaders():", *indented([*loaders(p), "return train_loader, val_loader"]), "", "", "def main():",
        *indented(['device = torch.device("cuda")', f"model, {parameters(p)} = build(device)",
                   "train_loader, val_loader = loaders()", *epochs(p, run(p))]), "", "", "main()"]))


def bundled(p, declared, opened, close, form, annotation=""):
    """One object with all parts goes to train() and evaluate()."""
    inner = names_of(p)
    names = {**names_of(p, form), "train": form.format("train"), "val": form.format("val")}
    entries = ", ".join(opened.format(name) + value for name, value in (
        ("model", "model"), *((name, name) for name, _ in p.components()), ("device", "device"),
        ("train", p.train_loader), ("val", p.val_loader)))
    return program(p, text([
        *declared, "", "def build(device):", *indented([*made(p, inner), f"return {close[0]}{entries}{close[1]}"]), "", "",
        f"def train(parts{annotation}):", *indented(training_lines(p, {**names, "loader": names["train"]})), "", "",
        f"def evaluate(parts{annotation}):", *indented(evaluation_lines(p, {**names, "loader": names["val"]})), "", "",
        "def main():",
        *indented(['parts = build(torch.device("cuda"))',
                   *epochs(p, ["train(parts)", "print(epoch, evaluate(parts))"], {**names, "loader": names["train"]})]),
        "", "", "main()"]))


@structure
def components(p):
    return bundled(p, [], '"{}": ', "{}", 'parts["{}"]')


@structure
def dataclass_context(p):
    types = {"criterion": "nn.Module", "optimizer": "torch.optim.Optimizer"}
    fields = indented(["model: nn.Module", *(f"{name}: {types.get(name, 'object')}" for name, _ in p.components()),
                       "device: torch.device", "train: DataLoader", "val: DataLoader"])
    return bundled(p, ["", "@dataclass", "class Context:", *fields, ""], "{}=", ("Context(", ")"), "parts.{}", ": Context")


@structure
def keyword_parts(p):
    """train(**parts) takes all parts by their names, and looks them up."""
    names = names_of(p, 'parts["{}"]')
    given = ", ".join(f"{name}={name}" for name in names_of(p))
    loader = {"loader": 'parts["loader"]'}
    return program(p, text([
        "", "def train(**parts):", *indented(training_lines(p, {**names, **loader})), "", "",
        "def evaluate(**parts):", *indented(evaluation_lines(p, {**names, **loader})), ""]),
        main(p, None, [f"train({given}, loader=train_loader)", f"print(epoch, evaluate({given}, loader=val_loader))"]))


@structure
def namedtuple_(p):
    fields = ["model", *(name for name, _ in p.components())]
    listed = ", ".join(f'"{name}"' for name in fields)
    given = ", ".join("setup." + name for name in fields[1:])
    build = text(["", f'Setup = namedtuple("Setup", [{listed}])', "", "", "def build(device):",
                  *indented([*made(p, names_of(p)), f"return Setup({', '.join(fields)})"]), ""])
    if p.epoch:
        return None
    return program(p, functions(p), build, main(p, ["setup = build(device)"], [
        f"train(setup.model, train_loader, {given}, device)", "print(epoch, evaluate(setup.model, val_loader, device))"]))


@structure
def registry(p):
    if p.model != "Net()":
        return None
    models = """
class Plain(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.flat = nn.Flatten()
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(3 * 64 * 64, 10)

    def forward(self, x):
        return self.head(self.drop(self.flat(x)))


MODELS = {"net": Net, "plain": Plain}


def build_model(name, **kwargs):
    return MODELS[name](**kwargs)
"""
    return program(p, models, functions(p), main(p, made(p, names_of(p), 'build_model("net", width=64).to(device)')))


@structure
def decorated(p):
    if p.model != "Net()":
        return None
    register = """
MODELS = {}


def register(name):
    def wrap(cls):
        MODELS[name] = cls
        return cls

    return wrap

"""
    return p.imports + IMPORTS + p.data + register + p.net.replace("class Net", '@register("net")\nclass Net', 1) + \
        "\n".join((p.helpers, functions(p), main(p, made(p, names_of(p), 'MODELS["net"]().to(device)')))) + "\n"


@structure
def looked_up(p):
    if p.model != "Net()":
        return None
    setup = [line.replace("torch.optim.AdamW(", 'getattr(torch.optim, "AdamW")(')
             for line in made(p, names_of(p), 'globals()["Net"]().to(device)')]
    return program(p, functions(p), main(p, setup))


@structure
def callbacks(p):
    engine = """
class Callback:
    def on_epoch_end(self, epoch, result):
        print(epoch, result)


class Engine:
    def __init__(self, train_fn, eval_fn, callbacks):
        self.train_fn = train_fn
        self.eval_fn = eval_fn
        self.callbacks = callbacks

    def run(self, epochs):
        for epoch in range(epochs):
            self.train_fn()
            result = self.eval_fn()
            for callback in self.callbacks:
                callback.on_epoch_end(epoch, result)
"""
    if p.epoch:
        return None
    return program(p, functions(p), engine, text(["", "def main():", *indented(
        ['device = torch.device("cuda")', *made(p, names_of(p)), *loaders(p), "engine = Engine(",
         f"    partial(train, model, train_loader, {parameters(p)}, device),",
         "    partial(evaluate, model, val_loader, device),", "    [Callback()],", ")", "engine.run(90)"]), "", "", "main()"]))


# ---- The model ------------------------------------------------------------------------------------------------------


@structure
def wrapper(p):
    wrapped = """
class Wrapped(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net(x)
"""
    return program(p, wrapped, functions(p), main(p, made(p, names_of(p), f"Wrapped({p.model}).to(device)")))


@structure
def data_parallel(p):
    return program(p, functions(p), main(p, made(p, names_of(p), f"nn.DataParallel({p.model}).to(device)")))


@structure
def compiled(p):
    return program(p, functions(p), main(p, made(p, names_of(p), f"torch.compile({p.model}.to(device))")))


@structure
def layer_list(p):
    old = "self.conv = nn.Conv2d(3, width, 3, padding=1, bias=False)"
    forward = "self.norm(self.conv(x))"
    if old not in p.net or forward not in p.net or "self.conv.weight" in p.net:
        return None
    net = p.net.replace(old, "self.conv = nn.ModuleList([nn.Conv2d(3 if i == 0 else width, width, 3, padding=1, "
                             "bias=False) for i in range(2)])").replace(
        "        h = F", "        h = x\n        for conv in self.conv:\n            h = conv(h)\n        h = F").replace(
        "self.conv(x)", "h")
    return p.imports + IMPORTS + p.data + "\n".join((net, p.helpers, functions(p), main(p))) + "\n"


@structure
def filled_list(p):
    """Layers are appended to a list, which becomes a Sequential."""
    old = "        self.head = nn.Linear(width, 10)\n"
    if old not in p.net:
        return None
    net = p.net.replace(old, "        layers = []\n        for size in (10,):\n            layers.append(nn.Linear(width, size))\n"
                             "        self.head = nn.Sequential(*layers)\n")
    return p.imports + IMPORTS + p.data + "\n".join((net, p.helpers, functions(p), main(p))) + "\n"


@structure
def output_dict(p):
    outer = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = Backbone()

    def features(self, x):
        return self.backbone(x)

    def forward(self, x):
        features = self.features(x)
        return {"logits": features}
"""
    if "class Net(nn.Module)" not in p.net or p.model != "Net()":
        return None

    def unpacked(lines):
        return tuple(re.sub(r"(\{model\}|fast)(\((?:[^()]|\([^()]*\))*\))", r'\1\2["logits"]', line) for line in lines)

    changed = dataclasses.replace(p, net=p.net.replace("class Net(", "class Backbone(") + "\n" + outer,
                                  step=unpacked(p.step), eval_step=unpacked(p.eval_step))
    return program(changed, functions(changed), main(changed))


# ---- Batches --------------------------------------------------------------------------------------------------------


@structure
def batch_dict(p):
    result = "return torch.from_numpy(array).permute(2, 0, 1), index % 10"
    if result not in p.data:
        return None
    unpack = ['x, y = batch["image"], batch["label"]']
    return program(p, functions(p, "for i, batch in enumerate({loader}):", unpack=unpack), main(p)).replace(
        result, 'return {"image": torch.from_numpy(array).permute(2, 0, 1), "label": index % 10}')


@structure
def move_helper(p):
    helper = "\ndef to_device(batch, device):\n    return [item.to(device, non_blocking=True) for item in batch]\n"
    return program(p, helper, functions(p, "for i, batch in enumerate({loader}):",
                                        unpack=["x, y = to_device(batch, device)"], move=False), main(p))


@structure
def generator(p):
    batches = """
def batches(loader, device):
    for x, y in loader:
        yield x.to(device, non_blocking=True), y.to(device, non_blocking=True)
"""
    return program(p, batches, functions(p, "for i, (x, y) in enumerate(batches({loader}, device)):", move=False), main(p))


@structure
def prefetcher(p):
    loading = """
class Prefetcher:
    def __init__(self, loader, device):
        self.loader = loader
        self.device = device

    def __len__(self):
        return len(self.loader)

    def __iter__(self):
        for x, y in self.loader:
            yield x.to(self.device, non_blocking=True), y.to(self.device, non_blocking=True)
"""
    return program(p, loading, functions(p, move=False), main(p, lines=[
        f"train(model, Prefetcher(train_loader, device), {parameters(p)}, device)",
        "print(epoch, evaluate(model, Prefetcher(val_loader, device), device))"]))


@structure
def while_loop(p):
    names = {**names_of(p), "loader": "loader"}
    drawn = ["try:", "    x, y = next(iterator)", "except StopIteration:", "    iterator = iter(loader)",
             "    x, y = next(iterator)"]
    return program(p, text([
        "", f"def train(model, loader, {parameters(p)}, device):",
        *indented([*filled(p.before, names), "iterator = iter(loader)", "i = 0", "while i < 100000:",
                   *indented([*drawn, *filled(p.move, names), *filled(p.step, names), "i += 1"]),
                   *filled(p.after, names)]), "", "", "def evaluate(model, loader, device):",
        *indented(evaluation_lines(p, names)), ""]), main(p))


# ---- Steps of their own ---------------------------------------------------------------------------------------------


@structure
def closure(p):
    if p.carries_state():
        return None
    names = {**names_of(p), "loader": "loader"}
    return program(p, text([
        "", f"def make_step(model, {parameters(p)}, device):", "    def step(i, x, y):",
        *indented([*filled(p.move, names), *filled(p.step, names), "return loss.detach()"], 2), "", "    return step", "", "",
        f"def train(model, loader, {parameters(p)}, device):",
        *indented([*filled(p.before, names), f"step = make_step(model, {parameters(p)}, device)",
                   "for i, (x, y) in enumerate(loader):", "    step(i, x, y)"]), "", "",
        "def evaluate(model, loader, device):", *indented(evaluation_lines(p, names)), ""]), main(p))


@structure
def step_function(p):
    if p.carries_state():
        return None
    names = {**names_of(p), "loader": "loader"}
    return program(p, text([
        "", f"def train_step(i, x, y, model, {parameters(p)}, device):",
        *indented([*filled(p.move, names), *filled(p.step, names), "return loss.detach()"]), "", "",
        f"def train(model, loader, {parameters(p)}, device):",
        *indented([*filled(p.before, names), "for i, (x, y) in enumerate(loader):",
                   f"    train_step(i, x, y, model, {parameters(p)}, device)"]), "", "",
        "def evaluate(model, loader, device):", *indented(evaluation_lines(p, names)), ""]), main(p))


@structure
def loss_function(p):
    """The forward pass and the loss are a function, which the step calls."""
    forward, loss = "out = {model}(x)", "loss = {criterion}(out, y)"
    if forward not in p.step or loss not in p.step or p.step.index(loss) != p.step.index(forward) + 1 or p.carries_state():
        return None
    at = p.step.index(forward)
    changed = dataclasses.replace(p, step=(
        *p.step[:at], "out, loss = compute_loss({model}, {criterion}, x, y)", *p.step[at + 2:]))
    helper = "\ndef compute_loss(model, criterion, x, y):\n    out = model(x)\n    return out, criterion(out, y)\n"
    return program(changed, helper, functions(changed), main(changed))


@structure
def shared_forward(p):
    """Training and evaluation call the model through one function."""
    forward = "out = {model}(x)"
    if forward not in p.step or not any("{model}(x)" in line for line in p.eval_step) or p.returns_from_step():
        return None
    shared = dataclasses.replace(p, step=tuple(line.replace("{model}(x)", "predict({model}, x)") for line in p.step),
                                 eval_step=tuple(line.replace("{model}(x)", "predict({model}, x)") for line in p.eval_step))
    return program(shared, "\ndef predict(model, x):\n    return model(x)\n", functions(shared), main(shared))


# ---- Classes --------------------------------------------------------------------------------------------------------


@structure
def trainer(p):
    names = names_of(p, SELF)
    return program(p, trainer_class(p, names, trainer_init(p, names)), trainer_main(p))


@structure
def solver(p):
    """A class that makes its model and loaders itself, and is not called a trainer."""
    names = names_of(p, SELF)
    init = ['self.device = torch.device("cuda")', *made(p, names, f"{p.model}.to(self.device)"),
            "self.train_loader = " + p.train_loader, "self.val_loader = " + p.val_loader]
    return program(p, trainer_class(p, names, init, "Solver").replace(
        "def __init__(self, model, train_loader, val_loader, device)", "def __init__(self)"),
        text(["", 'if __name__ == "__main__":', "    solver = Solver()", "    solver.fit(90)"]))


@structure
def abstract(p):
    names = names_of(p, SELF)
    init = ["self.device = device", "self.model = model.to(device)",
            *(f"self.{name} = self.build_{name}()" for name, _ in p.components()), "self.train_loader = train_loader",
            "self.val_loader = val_loader"]
    hooks = [line for name, _ in p.components()
             for line in ("", f"def build_{name}(self):", "    raise NotImplementedError")]
    sub = ["", "class ImageTrainer(BaseTrainer):",
           *indented([line for name, how in p.components()
                      for line in (f"def build_{name}(self):", f"    return {how.format(**names)}", "")])]
    return program(p, trainer_class(p, names, init, "BaseTrainer", methods=hooks), text(sub), trainer_main(p, "ImageTrainer"))


@structure
def mixin(p):
    names = names_of(p, SELF)
    return program(p, text([
        "", "class EvalMixin:", "    def evaluate(self):",
        *indented(evaluation_lines(p, {**names, "loader": "self.val_loader"}), 2), "", "", "class TrainMixin:",
        "    def train_epoch(self):", *indented(training_lines(p, {**names, "loader": "self.train_loader"}), 2), "", "",
        "class Trainer(TrainMixin, EvalMixin):", "    def __init__(self, model, train_loader, val_loader, device):",
        *indented(trainer_init(p, names), 2), *indented(fit_method(p, names)), ""]), trainer_main(p))


@structure
def inherited(p):
    """A subclass that replaces the step and leaves the rest to its base."""
    if p.carries_state():
        return None
    names = names_of(p, SELF)
    return program(p, text([
        "", "class BaseTrainer:", "    def __init__(self, model, train_loader, val_loader, device):",
        *indented(trainer_init(p, names), 2), "", "    def train_step(self, i, x, y):", "        raise NotImplementedError",
        "", "    def train_epoch(self):",
        *indented([*filled(p.before, names), "for i, (x, y) in enumerate(self.train_loader):", *indented(
            [*filled(p.move, names), "self.train_step(i, x, y)"])], 2), "", "    def evaluate(self):",
        *indented(evaluation_lines(p, {**names, "loader": "self.val_loader"}), 2), *indented(fit_method(p, names)), "", "",
        "class ImageTrainer(BaseTrainer):", "    def train_step(self, i, x, y):",
        *indented([*filled(p.step, names), "return loss.detach()"], 2), ""]), trainer_main(p, "ImageTrainer"))


@structure
def property_(p):
    names = {**names_of(p, SELF), "model": "self._model"}
    seen = {**names, "model": "self.net"}
    return program(p, trainer_class(p, seen, trainer_init(p, names), methods=[
        "", "@property", "def net(self):", "    return self._model"]), trainer_main(p))


@structure
def step_methods(p):
    if p.carries_state():
        return None
    names = names_of(p, SELF)
    bound = [line.split(" = ")[0] for line in p.eval_before if " = " in line]
    state = bound[-1] if bound else "correct"
    kept = ", ".join(bound) if bound else "correct"
    guard = ["with torch.no_grad():"] if p.eval_no_grad else ["if True:"]
    if len(bound) > 1 or not bound:
        return None
    return program(p, text([
        "", "class Trainer:", *indented([
            "def __init__(self, model, train_loader, val_loader, device):", *indented(trainer_init(p, names)), "",
            "def _move(self, batch):", "    x, y = batch", *indented(filled(p.move, names)), "    return x, y", "",
            "def _train_step(self, i, batch):", "    x, y = self._move(batch)", *indented(filled(p.step, names)),
            "    return loss.detach()", "", f"def _eval_step(self, batch, {kept}):", "    x, y = self._move(batch)",
            *indented(filled(p.eval_step, names)), f"    return {state}", "", "def train_epoch(self):",
            *indented([*filled(p.before, names), "for i, batch in enumerate(self.train_loader):",
                       "    self._train_step(i, batch)"]), "", "def evaluate(self):",
            *indented([*filled(p.eval_before, names), *guard, "    for batch in self.val_loader:",
                       f"        {state} = self._eval_step(batch, {kept})", *filled(p.eval_after, names)]),
            *fit_method(p, names)])]), trainer_main(p))


@structure
def callable_step(p):
    if p.carries_state():
        return None
    names, plain = names_of(p, SELF), {**names_of(p), "loader": "loader"}
    stored = [f"self.{name} = {name}" for name in ("model", *(name for name, _ in p.components()), "device")]
    return program(p, text([
        "", "class TrainStep:", f"    def __init__(self, model, {parameters(p)}, device):", *indented(stored, 2), "",
        "    def __call__(self, i, x, y):",
        *indented([*filled(p.move, names), *filled(p.step, names), "return loss.detach()"], 2), "", "",
        f"def train(model, loader, {parameters(p)}, device):",
        *indented([*filled(p.before, plain), f"step = TrainStep(model, {parameters(p)}, device)",
                   "for i, (x, y) in enumerate(loader):", "    step(i, x, y)"]), "", "",
        "def evaluate(model, loader, device):", *indented(evaluation_lines(p, plain)), ""]), main(p))


@structure
def static_methods(p):
    body = functions(p).replace("\ndef train(", "\n@staticmethod\ndef train(").replace(
        "\ndef evaluate(", "\n@staticmethod\ndef evaluate(")
    return program(p, text(["", "class Engine:", *indented(body.strip("\n").split("\n")), ""]), main(p, lines=[
        f"Engine.train(model, train_loader, {parameters(p)}, device)",
        "print(epoch, Engine.evaluate(model, val_loader, device))"]))


@structure
def model_fits_itself(p):
    """The module has its own training loop."""
    if "class Net(nn.Module)" not in p.net or not p.net.rstrip().endswith(")"):
        return None
    names = {**names_of(p), "model": "self", "loader": "loader"}
    net = p.net.rstrip("\n") + "\n" + text([
        "", f"    def fit(self, loader, {parameters(p)}, device):", *indented(training_lines(p, names), 2), "",
        "    def score(self, loader, device):", *indented(evaluation_lines(p, names), 2), ""])
    return p.imports + IMPORTS + p.data + "\n".join((net, p.helpers, main(p, lines=[
        f"model.fit(train_loader, {parameters(p)}, device)", "print(epoch, model.score(val_loader, device))"]))) + "\n"
