"""Random PyTorch programs for shapes_oracle.py.

A program is made operation by operation, and every operation is run at once, so that the next one knows the tensors that it
can take. Most numbers are right; in some programs one of them is changed, which mostly makes the program wrong. The list of
operations is then written as a script, a function, a module, a module with sizes as arguments, or as a mix of them.
"""

import random

import torch
import torch.nn.functional as F
from torch import nn

FLOATS = (torch.float32, torch.float64)
LARGEST = 40_000  # elements of a tensor: programs stay fast


class Stop(Exception):
    """This operation cannot be made with the tensors at hand."""


class Operation:
    """One assignment. `code` holds @0, @1 … where the layers stand; `block` is code of several lines instead."""

    def __init__(self, names, code, layers=(), block=None):
        self.names, self.code, self.layers, self.block = names, code, list(layers), block


class Maker:
    def __init__(self, seed, slips=0.7):
        self.random = random.Random(seed)
        self.values = {}  # name → tensor
        self.constants = {}  # name → number
        self.operations = []
        self.inputs = []
        self.count = 0
        self.slip = self.random.random() < slips  # one number of this program will be changed
        self.patience = self.random.randrange(1, 16) if self.slip else 0
        self.slipped = False
        self.error = None

    # Choices

    def one_in(self, n):
        return self.random.randrange(n) == 0

    def pick(self, *choices):
        return self.random.choice(choices)

    def name(self):
        self.count += 1
        return f"v{self.count}"

    def tensor(self, test=lambda t: True):
        """A random value that passes the test; later ones are taken more often."""
        fitting = [name for name, value in self.values.items() if test(value)]
        if not fitting:
            raise Stop
        return fitting[-1] if self.random.random() < 0.6 else self.random.choice(fitting)

    def floating(self, low=0, high=6):
        return self.tensor(lambda t: t.dtype in FLOATS and low <= t.dim() <= high)

    # Numbers. Each may be the one that is wrong.

    def slips_now(self):
        if not self.slip or self.slipped:
            return False
        self.patience -= 1
        if self.patience > 0:
            return False
        self.slipped = True
        return True

    def number(self, value, layer=False, of=None):
        """The text of a number: written out, as a product, by a name, or as a size of the tensor `of`."""
        if self.slips_now():
            value = max(0, value + self.pick(-1, 1, 1, 2, value, -(value // 2), self.random.randrange(1, 9)))
            return str(value)
        kind = self.random.randrange(8)
        if kind == 0 and value > 3:
            for factor in (2, 3, 5, 4):
                if value % factor == 0:
                    return f"{factor} * {value // factor}"
        if kind == 1 and value > 1:
            for name, constant in self.constants.items():
                if constant == value:
                    return name
            name = f"N{len(self.constants)}"
            self.constants[name] = value
            return name
        if kind in (2, 3) and of is not None and not layer:
            shape = list(self.values[of].shape)
            if value in shape:
                axis = shape.index(value)
                return self.pick(f"{of}.size({axis})", f"{of}.shape[{axis}]",
                                 f"{of}.shape[{axis - len(shape)}]")
        return str(value)

    def axis(self, rank):
        axis = self.random.randrange(-rank, rank) if rank else 0
        if self.slips_now():
            axis = self.pick(rank, rank + 1, -rank - 1, self.random.randrange(-3, 4))
        return axis

    def sizes(self, rank=None, high=8):
        rank = self.random.randrange(1, 5) if rank is None else rank
        return [self.random.randrange(1, high) for _ in range(rank)]

    def split(self, value):
        """A random factor of a number."""
        return self.random.choice([f for f in range(1, value + 1) if value % f == 0]) if value else 1

    # The program

    def run(self, operation):
        """Runs an operation. False: it raised, and the program ends here."""
        place = dict(self.values)
        place.update(self.constants, torch=torch, F=F, nn=nn)
        code = operation.code
        for index, layer in enumerate(operation.layers):
            code = code.replace(f"@{index}", f"({layer})")
        try:
            if operation.block is not None:
                exec(operation.block, place)
            else:
                exec(f"{', '.join(operation.names)} = {code}", place)
        except Exception as error:
            self.error = error
            self.operations.append(operation)
            return False
        for name in operation.names:
            value = place[name]
            if isinstance(value, torch.Tensor) and value.numel() > LARGEST:
                raise Stop
        for name in operation.names:
            if isinstance(place[name], torch.Tensor):
                self.values[name] = place[name].detach() if not place[name].requires_grad else place[name]
        self.operations.append(operation)
        return True

    def add(self, code, layers=(), results=1):
        names = [self.name() for _ in range(results)]
        return self.run(Operation(names, code, layers))

    def add_input(self, code):
        name = self.name()
        operation = Operation([name], code)
        if not self.run(operation):
            return False
        self.operations.pop()
        self.inputs.append(operation)
        return True


# Makers of tensors

def make_input(m):
    kind = m.random.randrange(12)
    if kind < 6:
        rank = m.pick(1, 2, 2, 3, 3, 4, 4)
        sizes = m.sizes(rank, 9) if rank < 3 else [m.random.randrange(1, 5), m.random.randrange(1, 9),
                                                    *m.sizes(rank - 2, 17)]
        if m.one_in(3) and rank > 1:
            sizes[1] = m.pick(4, 6, 8, 12, 16)
        maker = m.pick("randn", "rand", "zeros", "ones", "empty")
        text = ", ".join(m.number(s) for s in sizes)
        form = m.pick("{}", "{}", "({})", "[{}]", "size=({})" if maker != "zeros" else "{}")
        if rank == 1 and form == "({})":
            form = "({},)"
        if rank == 1 and form == "size=({})":
            form = "size=({},)"
        dtype = m.pick("", "", "", "", ", dtype=torch.float64", ", dtype=torch.float32")
        if maker == "empty":
            maker, dtype = "zeros", dtype
        if "size=" in form and maker in ("randn", "rand", "ones", "zeros"):
            form = form.replace("size=", "")
        return f"torch.{maker}({form.format(text)}{dtype})"
    if kind == 6:
        sizes = m.sizes(m.pick(1, 2, 3))
        return f"torch.randint(0, 7, ({', '.join(map(str, sizes))},){m.pick('', '', ', dtype=torch.int32')})"
    if kind == 7:
        n = m.random.randrange(1, 20)
        return m.pick(f"torch.arange({n})", f"torch.arange(0, {n * 2}, 2)", f"torch.arange({n}.0)",
                      f"torch.linspace(0, 1, {n})", f"torch.arange(1, {n + 1}, dtype=torch.float32)")
    if kind == 8:
        n = m.random.randrange(1, 8)
        return m.pick(f"torch.eye({n})", f"torch.eye({n}, {n + 1})", f"torch.full(({n}, 3), 0.5)",
                      f"torch.full(({n},), 2)", f"torch.randperm({n})")
    if kind == 9:
        rows = [[m.random.randrange(6) for _ in range(3)] for _ in range(m.random.randrange(1, 4))]
        if m.one_in(2):
            rows[0][0] = 1.5
        return f"torch.tensor({rows})"
    if kind == 10:
        return m.pick("torch.tensor(3)", "torch.tensor(2.5)", "torch.tensor([1, 2, 3])", "torch.tensor([True, False])",
                      "torch.tensor([1.0, 2.0], dtype=torch.float64)")
    return m.pick("torch.Tensor(3, 4)", "torch.FloatTensor([1, 2, 3])", "torch.LongTensor([0, 1, 2])",
                  "torch.zeros(2, 3, dtype=torch.bool)", "torch.ones(4, dtype=torch.long)").replace(
                      "torch.Tensor(3, 4)", "torch.Tensor([[1, 2], [3, 4]])")


# Operations. Each adds one to the program, or raises Stop.

def linear(m):
    x = m.floating(1)
    v = m.values[x]
    out = m.random.randrange(1, 20)
    bias = m.pick("", "", ", bias=False")
    dtype = ", dtype=torch.float64" if v.dtype == torch.float64 and not m.one_in(12) else ""
    if v.shape[-1] == 0:
        raise Stop
    return m.add(f"@0({x})", [f"nn.Linear({m.number(v.shape[-1], True)}, {m.number(out, True)}{bias}{dtype})"])


def conv(m):
    x = m.tensor(lambda t: t.dtype == torch.float32 and 2 <= t.dim() <= 5 and t.numel() > 0)
    v = m.values[x]
    n = v.dim() - m.pick(1, 2, 2, 2)
    if n < 1 or n > 3:
        raise Stop
    channels = v.shape[-n - 1]
    kernels = [m.random.randrange(1, min(size + 1, 5)) for size in v.shape[-n:]]
    kernel = m.number(min(kernels), True) if m.one_in(2) else "(" + ", ".join(m.number(k, True) for k in kernels) + ",)"
    options = []
    if m.one_in(2):
        options.append(f"stride={m.random.randrange(1, 4)}")
    if m.one_in(2):
        options.append(f"padding={m.pick(1, 2, 0)}")
    elif not options and m.one_in(5):
        options.append("padding='same'")
    if m.one_in(4):
        options.append("dilation=2")
    out = m.random.randrange(1, 13)
    if m.one_in(4):
        groups = m.split(channels)
        options.append(f"groups={m.number(groups, True)}")
        out = groups * m.random.randrange(1, 4)
    if m.one_in(4):
        options.append("bias=False")
    text = "".join(", " + o for o in options)
    return m.add(f"@0({x})", [f"nn.Conv{n}d({m.number(channels, True)}, {m.number(out, True)}, {kernel}{text})"])


def conv_transpose(m):
    x = m.tensor(lambda t: t.dtype == torch.float32 and 3 <= t.dim() <= 4 and 0 < t.numel() < 2000)
    v = m.values[x]
    n = v.dim() - 2
    channels = v.shape[1]
    stride = m.random.randrange(1, 4)
    options = f", stride={stride}" + m.pick("", f", padding={m.pick(0, 1)}")
    if stride > 1 and m.one_in(3):
        options += ", output_padding=1"
    out = m.random.randrange(1, 9)
    return m.add(f"@0({x})", [f"nn.ConvTranspose{n}d({m.number(channels, True)}, {m.number(out, True)}, "
                              f"{m.number(m.random.randrange(1, 5), True)}{options})"])


def functional_conv(m):
    x = m.tensor(lambda t: t.dtype == torch.float32 and t.dim() in (3, 4) and t.numel() > 0)
    v = m.values[x]
    n = v.dim() - 2
    kernel = [m.number(min(3, s)) for s in v.shape[2:]]
    padding = m.pick("", ", padding=1", ", stride=2")
    return m.add(f"F.conv{n}d({x}, torch.randn({m.number(5)}, {m.number(v.shape[1])}, {', '.join(kernel)}){padding})")


def pool(m):
    x = m.tensor(lambda t: t.dtype in FLOATS and 2 <= t.dim() <= 5 and t.numel() > 0)
    v = m.values[x]
    n = v.dim() - m.pick(1, 2, 2)
    if n < 1 or n > 3 or v.dim() - n < 1:
        raise Stop
    kernel = m.random.randrange(1, max(2, min(4, min(v.shape[-n:]) + 1)))
    options = m.pick("", "", f", {m.random.randrange(1, 4)}", f", stride={m.random.randrange(1, 4)}")
    kind = m.pick("Max", "Max", "Avg")
    if m.one_in(4) and kernel > 1:
        options += ", padding=1" if "stride" in options or not options else ", 1"
    if m.one_in(5):
        options += ", ceil_mode=True"
    if kind == "Max" and m.one_in(8):
        options += ", dilation=2"
    k = m.number(kernel, True)
    if m.one_in(3):
        return m.add(f"F.{kind.lower()}_pool{n}d({x}, {k}{options})")
    return m.add(f"@0({x})", [f"nn.{kind}Pool{n}d({k}{options})"])


def adaptive_pool(m):
    x = m.tensor(lambda t: t.dtype in FLOATS and 3 <= t.dim() <= 4 and t.numel() > 0)
    n = m.values[x].dim() - 2
    size = m.pick("1", "2", "(3,)" if n == 1 else "(3, 2)", "(1,)" if n == 1 else "(None, 2)")
    kind = m.pick("Avg", "Max")
    if m.one_in(3):
        return m.add(f"F.adaptive_{kind.lower()}_pool{n}d({x}, {size})")
    return m.add(f"@0({x})", [f"nn.Adaptive{kind}Pool{n}d({size})"])


def batch_norm(m):
    x = m.tensor(lambda t: t.dtype == torch.float32 and 2 <= t.dim() <= 5 and t.numel() > 0)
    v = m.values[x]
    n = {2: 1, 3: 1, 4: 2, 5: 3}[v.dim()]
    if v.numel() // v.shape[1] < 2:
        raise Stop
    kind = m.pick("BatchNorm", "BatchNorm", "InstanceNorm") if v.dim() > 2 and v[0, 0].numel() > 1 else "BatchNorm"
    affine = ", affine=True" if kind == "InstanceNorm" else ""
    return m.add(f"@0({x})", [f"nn.{kind}{n}d({m.number(v.shape[1], True)}{affine})"])


def layer_norm(m):
    x = m.tensor(lambda t: t.dtype == torch.float32 and t.dim() >= 1 and t.numel() > 0)
    v = m.values[x]
    k = m.random.randrange(1, min(3, v.dim()) + 1)
    sizes = [m.number(s, True) for s in v.shape[-k:]]
    text = sizes[0] if k == 1 and m.one_in(2) else f"[{', '.join(sizes)}]"
    if m.one_in(4):
        return m.add(f"F.layer_norm({x}, ({', '.join(sizes)},))")
    return m.add(f"@0({x})", [f"nn.LayerNorm({text})"])


def group_norm(m):
    x = m.tensor(lambda t: t.dtype == torch.float32 and t.dim() >= 3 and t.numel() > 0)
    v = m.values[x]
    if v.numel() // v.shape[0] // v.shape[1] * v.shape[1] < 2 * v.shape[1] and v.shape[0] < 2:
        raise Stop
    return m.add(f"@0({x})", [f"nn.GroupNorm({m.number(m.split(v.shape[1]), True)}, {m.number(v.shape[1], True)})"])


def activation(m):
    x = m.floating()
    layer = m.pick("nn.ReLU()", "nn.GELU()", "nn.Tanh()", "nn.Sigmoid()", "nn.LeakyReLU(0.2)", "nn.Dropout(0.1)", "nn.SiLU()",
                   "nn.Identity()", "nn.ELU()", "nn.Softplus()", "nn.Hardtanh()", "nn.PReLU()")
    if layer == "nn.PReLU()" and m.values[x].dtype != torch.float32:
        raise Stop
    if m.one_in(3):
        return m.add(m.pick(f"F.relu({x})", f"torch.relu({x})", f"{x}.relu()", f"torch.sigmoid({x})", f"{x}.tanh()",
                            f"F.gelu({x})", f"F.leaky_relu({x}, 0.1)", f"F.dropout({x}, 0.3)"))
    return m.add(f"@0({x})", [layer])


def softmax(m):
    x = m.floating(1)
    axis = m.axis(m.values[x].dim())
    if m.one_in(3):
        return m.add(f"@0({x})", [m.pick(f"nn.Softmax(dim={axis})", f"nn.LogSoftmax(dim={axis})")])
    return m.add(m.pick(f"F.softmax({x}, dim={axis})", f"{x}.softmax({axis})", f"torch.softmax({x}, {axis})",
                        f"F.log_softmax({x}, {axis})", f"F.normalize({x}, dim={axis})"))


def embedding(m):
    x = m.tensor(lambda t: t.dtype in (torch.int64, torch.int32) and t.numel() > 0 and 0 <= int(t.min()) and int(t.max()) < 200)
    size = int(m.values[x].max()) + 1 + m.random.randrange(20)
    return m.add(f"@0({x})", [f"nn.Embedding({size}, {m.random.randrange(1, 9)})"])


def recurrent(m):
    x = m.tensor(lambda t: t.dtype == torch.float32 and t.dim() in (2, 3) and 0 < t.numel() < 3000)
    v = m.values[x]
    kind = m.pick("LSTM", "GRU", "RNN")
    hidden = m.random.randrange(1, 9)
    options = m.pick("", ", batch_first=True", ", batch_first=True")
    if m.one_in(3):
        options += ", num_layers=2"
    if m.one_in(3):
        options += ", bidirectional=True"
    layer = f"nn.{kind}({m.number(v.shape[-1], True)}, {m.number(hidden, True)}{options})"
    names = [m.name() for _ in range(3 if kind == "LSTM" else 2)]
    operation = Operation(names, f"@0({x})", [layer])
    if kind == "LSTM":
        a, b, c = names
        operation.code = f"@0({x})"
        # names of the nested tuple
        operation.names = [a, f"({b}, {c})"]
        return run_nested(m, operation, names)
    return m.run(operation)


def run_nested(m, operation, names):
    place = dict(m.values)
    place.update(m.constants, torch=torch, F=F, nn=nn)
    try:
        exec(f"{', '.join(operation.names)} = {operation.code.replace('@0', '(' + operation.layers[0] + ')')}", place)
    except Exception as error:
        m.error = error
        m.operations.append(operation)
        return False
    for name in names:
        m.values[name] = place[name]
    m.operations.append(operation)
    return True


def recurrent_cell(m):
    x = m.tensor(lambda t: t.dtype == torch.float32 and t.dim() == 2 and t.numel() > 0)
    v = m.values[x]
    hidden = m.random.randrange(1, 9)
    if m.one_in(2):
        return m.add(f"@0({x})", [f"nn.LSTMCell({m.number(v.shape[1], True)}, {hidden})"], 2)
    return m.add(f"@0({x}, torch.zeros({m.number(v.shape[0], of=x)}, {m.number(hidden)}))",
                 [f"nn.GRUCell({m.number(v.shape[1], True)}, {hidden})"])


def attention(m):
    x = m.tensor(lambda t: t.dtype == torch.float32 and t.dim() in (2, 3) and 0 < t.numel() < 3000)
    v = m.values[x]
    heads = m.split(v.shape[-1])
    batch_first = m.pick("", ", batch_first=True")
    return m.add(f"@0({x}, {x}, {x})",
                 [f"nn.MultiheadAttention({m.number(v.shape[-1], True)}, {m.number(heads, True)}{batch_first})"], 2)


def transformer_layer(m):
    x = m.tensor(lambda t: t.dtype == torch.float32 and t.dim() == 3 and 0 < t.numel() < 1000)
    v = m.values[x]
    heads = m.split(v.shape[-1])
    return m.add(f"@0({x})", [f"nn.TransformerEncoderLayer({m.number(v.shape[-1], True)}, {m.number(heads, True)}, 16, "
                              f"batch_first=True)"])


def padding_layer(m):
    x = m.tensor(lambda t: t.dtype in FLOATS and t.dim() in (3, 4) and 0 < t.numel() < 4000 and min(t.shape[2:]) > 2)
    n = m.values[x].dim() - 2
    amount = str(m.random.randrange(3)) if m.one_in(2) else "(" + ", ".join(str(m.random.randrange(3)) for _ in range(2 * n)) + ")"
    kind = m.pick("ZeroPad", "ReflectionPad", "ReplicationPad")
    if kind == "ZeroPad" and n == 1:
        raise Stop
    return m.add(f"@0({x})", [f"nn.{kind}{n}d({amount})"])


def functional_pad(m):
    x = m.tensor(lambda t: 1 <= t.dim() <= 4 and 0 < t.numel() < 4000)
    v = m.values[x]
    k = m.random.randrange(1, v.dim() + 1)
    if m.slips_now():
        k = v.dim() + 1
    amounts = [m.random.randrange(3) for _ in range(2 * k)]
    return m.add(f"F.pad({x}, ({', '.join(map(str, amounts))}){m.pick('', ', value=1')})")


def upsample(m):
    x = m.tensor(lambda t: t.dtype in FLOATS and t.dim() in (3, 4) and 0 < t.numel() < 2000)
    n = m.values[x].dim() - 2
    how = m.pick("scale_factor=2", "scale_factor=3", "size=7", "size=(5,)" if n == 1 else "size=(5, 6)", "scale_factor=1.5",
                 "scale_factor=0.5")
    if how == "scale_factor=0.5" and min(m.values[x].shape[2:]) < 2:
        raise Stop
    mode = m.pick("", ", mode='linear'" if n == 1 else ", mode='bilinear'", ", mode='nearest'")
    if m.one_in(2):
        return m.add(f"F.interpolate({x}, {how}{mode})")
    return m.add(f"@0({x})", [f"nn.Upsample({how}{mode})"])


def pixel_shuffle(m):
    x = m.tensor(lambda t: t.dtype in FLOATS and t.dim() >= 3 and t.numel() > 0 and (t.shape[-3] % 4 == 0 or t.shape[-3] % 9 == 0))
    factor = 2 if m.values[x].shape[-3] % 4 == 0 else 3
    return m.add(f"@0({x})", [f"nn.PixelShuffle({m.number(factor, True)})"])


def flatten(m):
    x = m.tensor(lambda t: t.dim() >= 1)
    rank = m.values[x].dim()
    start = m.random.randrange(rank)
    if m.slips_now():
        start = rank + 1
    end = m.random.randrange(start, rank) if start < rank else -1
    if rank >= 2 and m.one_in(3):
        return m.add(f"@0({x})", ["nn.Flatten()"])
    return m.add(m.pick(f"torch.flatten({x}, {start})", f"{x}.flatten({start})", f"{x}.flatten({start}, {end})",
                        f"torch.flatten({x}, start_dim={start})", f"{x}.flatten()"))


def reshape(m):
    x = m.tensor(lambda t: t.numel() > 0)
    v = m.values[x]
    left, sizes = v.numel(), []
    if v.dim() > 1 and m.one_in(2):
        sizes.append(v.shape[0])
        left //= v.shape[0]
    for _ in range(m.random.randrange(1, 4)):
        sizes.append(m.split(left))
        left //= sizes[-1]
    sizes.append(left)
    texts = [m.number(s, of=x) for s in sizes]
    if m.one_in(2):
        texts[m.random.randrange(len(texts))] = "-1"
    form = m.pick("{}", "{}", "({})", "[{}]")
    if len(texts) == 1 and form == "({})":
        form = "({},)"
    inside = form.format(", ".join(texts))
    how = m.pick("view", "view", "reshape") if v.is_contiguous() or m.one_in(6) else "reshape"
    if m.one_in(6):
        return m.add(f"torch.reshape({x}, ({', '.join(texts)},))")
    return m.add(f"{x}.{how}({inside})")


def permute(m):
    x = m.tensor(lambda t: t.dim() >= 2)
    rank = m.values[x].dim()
    order = list(range(rank))
    m.random.shuffle(order)
    if m.slips_now():
        order = m.pick(order[:-1], [*order, rank], order[:-1] + order[:1])
    text = ", ".join(str(a - rank if m.one_in(5) else a) for a in order)
    return m.add(m.pick(f"{x}.permute({text})", f"{x}.permute(({text},))", f"torch.permute({x}, ({text},))",
                        f"{x}.permute({text}).contiguous()"))


def transpose(m):
    x = m.tensor(lambda t: t.dim() >= 1)
    rank = m.values[x].dim()
    a, b = m.axis(rank), m.axis(rank)
    if rank == 2 and m.one_in(2):
        return m.add(m.pick(f"{x}.t()", f"{x}.T", f"torch.t({x})"))
    return m.add(m.pick(f"{x}.transpose({a}, {b})", f"torch.transpose({x}, {a}, {b})", f"{x}.transpose({a}, {b}).contiguous()",
                        f"{x}.swapaxes({a}, {b})", f"torch.movedim({x}, {a}, {b})"))


def squeeze(m):
    x = m.tensor(lambda t: t.dim() <= 5)
    rank = m.values[x].dim()
    if m.one_in(2):
        axis = m.axis(rank + 1)
        return m.add(m.pick(f"{x}.unsqueeze({axis})", f"torch.unsqueeze({x}, {axis})", f"{x}.unsqueeze(dim={axis})"))
    if rank == 0:
        raise Stop
    axis = m.axis(rank)
    return m.add(m.pick(f"{x}.squeeze({axis})", f"{x}.squeeze()", f"torch.squeeze({x}, {axis})"))


def expand(m):
    x = m.tensor(lambda t: 1 <= t.dim() <= 4 and 0 < t.numel() < 3000)
    v = m.values[x]
    sizes = [m.number(s if s != 1 else m.random.randrange(1, 5)) if s == 1 or m.one_in(2) else "-1" for s in v.shape]
    if m.one_in(3):
        sizes.insert(0, str(m.random.randrange(1, 4)))
    return m.add(f"{x}.expand({', '.join(sizes)})")


def repeat(m):
    x = m.tensor(lambda t: 1 <= t.dim() <= 3 and 0 < t.numel() < 2000)
    rank = m.values[x].dim()
    counts = [str(m.random.randrange(1, 4)) for _ in range(rank + m.pick(0, 0, 1))]
    if m.slips_now():
        counts = counts[:-1] if rank == len(counts) and rank > 1 else counts
    return m.add(m.pick(f"{x}.repeat({', '.join(counts)})", f"torch.tile({x}, ({', '.join(counts)},))",
                        f"{x}.repeat_interleave(2, dim={m.axis(rank)})", f"torch.repeat_interleave({x}, 3, dim=0)"))


def cat(m):
    x = m.tensor(lambda t: t.dim() >= 1 and t.numel() < 3000)
    v = m.values[x]
    axis = m.axis(v.dim())
    real = axis % v.dim()
    same = [n for n, t in m.values.items() if t.dim() == v.dim() and
            all(a == b for i, (a, b) in enumerate(zip(t.shape, v.shape)) if i != real)]
    parts = [x, m.random.choice(same)]
    if m.one_in(3):
        parts.append(m.random.choice(same))
    if m.slips_now():
        parts.append(m.tensor(lambda t: t.numel() < 3000))
    m.random.shuffle(parts)
    form = m.pick("[{}]", "({})").format(", ".join(parts))
    return m.add(m.pick(f"torch.cat({form}, dim={axis})", f"torch.cat({form}, {axis})", f"torch.concat({form}, dim={axis})"))


def stack(m):
    x = m.tensor(lambda t: t.dim() <= 4 and t.numel() < 3000)
    v = m.values[x]
    parts = [x, m.random.choice([n for n, t in m.values.items() if t.shape == v.shape])]
    if m.slips_now():
        parts.append(m.tensor(lambda t: t.numel() < 3000))
    axis = m.axis(v.dim() + 1)
    return m.add(m.pick(f"torch.stack([{', '.join(parts)}])", f"torch.stack([{', '.join(parts)}], dim={axis})",
                        f"torch.stack(({', '.join(parts)}), {axis})"))


def split(m):
    x = m.tensor(lambda t: t.dim() >= 1 and min(t.shape) > 0)
    v = m.values[x]
    axis = m.random.randrange(v.dim())
    size = v.shape[axis]
    if m.one_in(3):
        parts = m.random.randrange(1, min(4, size) + 1)
        actual = len(v.chunk(parts, axis))
        return m.add(m.pick(f"{x}.chunk({parts}, dim={axis})", f"torch.chunk({x}, {parts}, {axis})") + ("[0]" if actual == 1 else ""),
                     results=1 if actual == 1 else actual)
    if m.one_in(2):
        first = m.random.randrange(0, size + 1)
        return m.add(f"{x}.split([{m.number(first)}, {m.number(size - first)}], dim={axis})", results=2)
    if size <= 4:
        if size == 1:
            raise Stop
        return m.add(m.pick(f"{x}.unbind({axis})", f"torch.unbind({x}, dim={axis})"), results=size)
    step = (size + 1) // 2
    return m.add(m.pick(f"torch.split({x}, {m.number(step)}, dim={axis})", f"{x}.split({m.number(step)}, {axis})"), results=2)


def index(m):
    x = m.tensor(lambda t: 1 <= t.dim() <= 5 and min(t.shape) > 0)
    v = m.values[x]
    parts = []
    has_dots = False
    axis = 0
    while axis < v.dim() and m.random.random() < 0.8:
        size = v.shape[axis]
        kind = m.random.randrange(10)
        if kind < 3:
            i = m.random.randrange(-size, size)
            if m.slips_now():
                i = m.pick(size, size + 2, -size - 1)
            parts.append(str(i))
        elif kind < 5:
            parts.append(":")
        elif kind < 8:
            low, high = m.random.randrange(-size - 1, size + 2), m.random.randrange(-size - 1, size + 2)
            parts.append(m.pick(f"{low}:", f":{high}", f"{low}:{high}", "::2", f"{low}::2", f":{m.number(size, of=x)}"))
        elif kind == 8:
            parts.append("None")
            continue
        elif not has_dots and m.one_in(2):
            parts.append("...")
            has_dots = True
            break
        elif m.one_in(3) and not any(p.startswith("[") for p in parts):
            parts.append(f"[0, {size - 1}]")
        else:
            parts.append("-1")
        axis += 1
    if not parts:
        parts = ["0"]
    if m.slips_now():
        parts = parts + [":"] * (v.dim() + 1)
    return m.add(f"{x}[{', '.join(parts)}]")


def pick_rows(m):
    x = m.tensor(lambda t: t.dim() >= 1 and t.shape[0] > 0)
    v = m.values[x]
    n = m.random.randrange(1, 5)
    ids = [m.random.randrange(v.shape[0]) for _ in range(n)]
    kind = m.random.randrange(4)
    if kind == 0:
        return m.add(f"{x}[torch.tensor({ids})]")
    if kind == 1:
        axis = m.axis(v.dim())
        return m.add(f"torch.index_select({x}, {axis}, torch.tensor([0, 0]))") if v.shape[axis % v.dim()] else None
    if kind == 2:
        return m.add(f"{x}.select({m.axis(v.dim())}, 0)") if min(v.shape) > 0 else None
    return m.add(f"{x}.narrow(0, 0, {m.number(m.random.randrange(1, v.shape[0] + 1))})")


def elementwise(m):
    x = m.tensor(lambda t: t.dtype != torch.bool)
    v = m.values[x]

    def fits(t):
        try:
            torch.broadcast_shapes(t.shape, v.shape)
            return t.dtype != torch.bool
        except RuntimeError:
            return False

    if m.slips_now():
        y = m.tensor(lambda t: t.dtype != torch.bool)
    else:
        y = m.tensor(fits)
    if torch.broadcast_tensors(v, m.values[y])[0].numel() > LARGEST if fits(m.values[y]) else False:
        raise Stop
    o = m.pick("+", "-", "*", "+", "*", "/")
    return m.add(m.pick(f"{x} {o} {y}", f"{x} {o} {y}", f"torch.add({x}, {y})", f"{x}.mul({y})", f"torch.maximum({x}, {y})",
                        f"{x}.sub({y})", f"torch.where({x} > {y}, {x}, {y})" if v.dtype == m.values[y].dtype else f"{x} - {y}",
                        f"{x} > {y}", f"{x}.eq({y})"))


def with_scalar(m):
    x = m.tensor(lambda t: t.dtype != torch.bool)
    return m.add(m.pick(f"{x} * 2", f"{x} + 1.5", f"1 - {x}", f"{x} / 3", f"{x} ** 2", f"-{x}", f"{x} > 0", f"2.0 * {x}",
                        f"{x} // 2", f"{x}.clamp(min=0)", f"{x}.abs()", f"{x} == 1", f"{x}.pow(2)", f"torch.clamp({x}, 0, 1)"))


def unary(m):
    x = m.tensor(lambda t: t.dtype != torch.bool)
    return m.add(m.pick(f"torch.exp({x})", f"{x}.exp()", f"{x}.sqrt()", f"torch.sin({x})", f"{x}.sigmoid()", f"{x}.float()",
                        f"{x}.long()", f"{x}.double()", f"{x}.int()", f"{x}.bool()", f"{x}.to(torch.float32)",
                        f"{x}.clone()", f"{x}.detach()", f"{x}.contiguous()", f"torch.zeros_like({x})", f"torch.ones_like({x})",
                        f"{x}.new_zeros(3, {m.number(4)})", f"{x}.type_as({m.tensor()})", f"{x}.sign()", f"torch.log1p({x})",
                        f"{x}.round()" if m.values[x].dtype in FLOATS else f"{x}.abs()", f"torch.full_like({x}, 2)",
                        f"{x}.to(dtype=torch.float64)", f"{x}.cos()", f"{x}.view_as({x})", f"{x}.new_ones({x}.shape)"))


def reduction(m):
    x = m.tensor(lambda t: t.dim() >= 1 and min(t.shape) > 0)
    v = m.values[x]
    rank = v.dim()
    axis = m.axis(rank)
    keep = m.pick("", "", ", keepdim=True")
    kind = m.random.randrange(8)
    if kind == 0:
        return m.add(m.pick(f"{x}.sum()", f"torch.sum({x})", f"{x}.max()", f"{x}.min()", f"{x}.argmax()", f"{x}.numel() * {x}.sum()"))
    if kind == 1:
        return m.add(m.pick(f"{x}.mean()", f"{x}.mean({axis}{keep})", f"torch.mean({x}, dim={axis}{keep})", f"{x}.std({axis})",
                            f"torch.norm({x}, dim={axis})", f"{x}.norm(dim={axis}{keep})", f"{x}.logsumexp({axis})",
                            f"torch.var({x}, {axis}{keep})"))
    if kind == 2:
        return m.add(m.pick(f"{x}.argmax({axis}{keep})", f"torch.argmax({x}, dim={axis})", f"{x}.argmin(dim={axis}{keep})",
                            f"{x}.argsort({axis})"))
    if kind == 3:
        return m.add(m.pick(f"{x}.max({axis}{keep})", f"torch.max({x}, {axis})", f"torch.min({x}, dim={axis}{keep})",
                            f"torch.sort({x}, dim={axis})", f"{x}.sort({axis})", f"{x}.median({axis})"), results=2)
    if kind == 4:
        k = m.random.randrange(1, v.shape[axis % rank] + 1) if -rank <= axis < rank else 1
        if v.dtype == torch.bool:
            raise Stop
        return m.add(f"{x}.topk({m.number(k)}, dim={axis})", results=2)
    if kind == 5 and rank >= 2:
        a, b = m.random.sample(range(rank), 2)
        return m.add(m.pick(f"{x}.sum(({a}, {b}){keep})", f"{x}.sum(dim=[{a}, {b}])", f"torch.sum({x}, dim=({a}, {b}){keep})",
                            f"{x}.amax(({a}, {b}))"))
    if kind == 6:
        return m.add(m.pick(f"{x}.cumsum({axis})", f"torch.cumsum({x}, dim={axis})", f"{x}.flip({axis})", f"torch.roll({x}, 1, {axis})",
                            f"{x}.flip([0])", f"{x}.cumprod(dim={axis})"))
    return m.add(m.pick(f"{x}.sum({axis}{keep})", f"torch.sum({x}, dim={axis}{keep})", f"{x}.prod({axis}{keep})",
                        f"{x}.any({axis})", f"({x} > 0).all(dim={axis})", f"{x}.sum(dim={axis}, dtype=torch.float64)",
                        f"torch.amax({x}, {axis}{keep})"))


def matmul(m):
    x = m.tensor(lambda t: t.dtype in (torch.float32, torch.float64, torch.int64) and 1 <= t.dim() <= 4)
    v = m.values[x]
    inner = v.shape[-1]
    fitting = [n for n, t in m.values.items() if t.dtype == v.dtype and t.dim() in (1, 2) and t.shape[max(0, t.dim() - 2)] == inner]
    if m.one_in(2) or not fitting:
        maker = f"torch.ones({m.number(inner, of=x)}, {m.number(m.random.randrange(1, 9))}, dtype={v.dtype})"
        if v.dtype == torch.float32 and m.one_in(2):
            maker = f"torch.randn({m.number(inner, of=x)}, {m.number(m.random.randrange(1, 9))})"
        return m.add(m.pick(f"{x} @ {maker}", f"torch.matmul({x}, {maker})", f"{x}.matmul({maker})",
                            f"torch.mm({x}, {maker})" if v.dim() == 2 or m.one_in(9) else f"{x} @ {maker}"))
    y = m.random.choice(fitting)
    if m.slips_now():
        y = m.tensor()
    return m.add(m.pick(f"{x} @ {y}", f"torch.matmul({x}, {y})", f"{x}.matmul({y})"))


def self_product(m):
    x = m.tensor(lambda t: t.dtype in FLOATS and 2 <= t.dim() <= 4 and 0 < t.numel() < 3000)
    v = m.values[x]
    if v.dim() == 3 and m.one_in(2):
        return m.add(m.pick(f"torch.bmm({x}, {x}.transpose(1, 2))", f"{x}.bmm({x}.permute(0, 2, 1))",
                            f"torch.einsum('bik,bjk->bij', {x}, {x})", f"torch.einsum('b i k, b j k -> b i j', {x}, {x})"))
    if v.dim() == 2 and m.one_in(2):
        return m.add(m.pick(f"torch.mm({x}, {x}.t())", f"torch.einsum('ij,kj->ik', {x}, {x})", f"torch.einsum('ij->ji', {x})",
                            f"torch.einsum('ij->', {x})", f"{x}.mm({x}.t())", f"torch.addmm(torch.zeros({v.shape[0]}, dtype={v.dtype}), {x}, {x}.t())",
                            f"torch.outer({x}[0], {x}[0])", f"torch.mv({x}, {x}[0])", f"torch.tril({x})", f"{x}.triu(1)", f"{x}.diagonal()"))
    if m.slips_now():
        return m.add(f"torch.matmul({x}, {x})")
    return m.add(m.pick(f"torch.matmul({x}, {x}.transpose(-2, -1))", f"{x} @ {x}.transpose(-1, -2)", f"{x} @ {x}.mT",
                        f"torch.einsum('...ij,...kj->...ik', {x}, {x})"))


def masks(m):
    x = m.floating(1)
    v = m.values[x]
    if m.one_in(3):
        return m.add(f"{x}.masked_fill({x} > 0.5, 0)")
    if m.one_in(2):
        return m.add(m.pick(f"torch.where({x} > 0, {x}, torch.zeros_like({x}))", f"torch.where({x} > 0, {x}, 0.0)" if v.dtype == torch.float32 else f"{x}.masked_fill({x} > 0, 1)"))
    sizes = [m.number(s) for s in v.shape]
    return m.add(f"{x}.masked_fill(torch.ones({', '.join(sizes)}, dtype=torch.bool), 0.0)")


def gather(m):
    x = m.tensor(lambda t: t.dim() >= 1 and min(t.shape) > 0)
    v = m.values[x]
    axis = m.axis(v.dim())
    if m.one_in(2):
        index = f"torch.zeros({', '.join(m.number(s) for s in v.shape)}, dtype=torch.long)"
    else:
        y = m.tensor(lambda t: t.dtype == torch.int64 and t.dim() == v.dim())
        if not m.one_in(4):
            raise Stop
        index = f"torch.zeros_like({y})"
    return m.add(m.pick(f"torch.gather({x}, {axis}, {index})", f"{x}.gather({axis}, {index})"))


def one_hot(m):
    x = m.tensor(lambda t: t.dtype == torch.int64 and t.dim() <= 3 and 0 < t.numel() < 500 and int(t.min()) >= 0 and int(t.max()) < 10)
    return m.add(f"F.one_hot({x}, {m.pick('10', 'num_classes=12')})" + m.pick("", ".float()"))


def unfold(m):
    x = m.tensor(lambda t: t.dtype == torch.float32 and t.dim() == 4 and 0 < t.numel() < 2000 and min(t.shape[2:]) >= 2)
    return m.add(m.pick(f"F.unfold({x}, 2)", f"F.unfold({x}, kernel_size=2, stride=2)", f"F.unfold({x}, (2, 1), padding=1)",
                        f"{x}.unfold(2, 2, 1)", f"{x}.unfold(-1, 2, 2)"))


def unflatten(m):
    x = m.tensor(lambda t: t.dim() >= 1 and t.numel() > 0)
    v = m.values[x]
    axis = m.random.randrange(v.dim())
    a = m.split(v.shape[axis])
    pair = f"({m.number(a)}, {m.number(v.shape[axis] // a)})"
    if axis == 1 and m.one_in(2):
        return m.add(f"@0({x})", [f"nn.Unflatten(1, {pair})"])
    return m.add(f"{x}.unflatten({axis}, {pair})")


def loss(m):
    x = m.tensor(lambda t: t.dtype == torch.float32 and 2 <= t.dim() <= 4 and t.numel() > 0)
    v = m.values[x]
    kind = m.random.randrange(6)
    reduction = m.pick("", "", ", reduction='none'", ", reduction='sum'")
    if kind < 2:
        sizes = [v.shape[0], *v.shape[2:]]
        if m.one_in(10):
            sizes.insert(1, 1)
        text = ", ".join(m.number(s, of=x) for s in sizes)
        dtype = "" if not m.one_in(12) else ", dtype=torch.int32"
        target = f"torch.randint(0, {v.shape[1]}, ({text},){dtype})"
        return m.add(m.pick(f"F.cross_entropy({x}, {target}{reduction})", f"F.nll_loss(F.log_softmax({x}, 1), {target}{reduction})")) \
            if m.one_in(2) else m.add(f"@0({x}, {target})", [f"nn.CrossEntropyLoss({reduction[2:]})"])
    sizes = ", ".join(m.number(s, of=x) for s in v.shape)
    if kind == 2:
        return m.add(f"F.binary_cross_entropy_with_logits({x}, torch.ones({sizes}){reduction})")
    if kind == 3:
        return m.add(f"F.binary_cross_entropy(torch.sigmoid({x}), torch.ones({sizes}){reduction})")
    if kind == 4:
        return m.add(f"@0({x}, torch.rand({sizes}))", [m.pick(f"nn.MSELoss({reduction[2:]})", f"nn.L1Loss({reduction[2:]})", f"nn.BCEWithLogitsLoss({reduction[2:]})", f"nn.SmoothL1Loss({reduction[2:]})")])
    return m.add(m.pick(f"F.cosine_similarity({x}, {x})", f"F.mse_loss({x}, {x}{reduction})", f"torch.cdist({x}, {x})" if v.dim() < 4 else f"F.l1_loss({x}, {x}{reduction})",
                        f"F.pairwise_distance({x}, {x})" if v.dim() == 2 else f"F.mse_loss({x}, {x})"))


def loop(m):
    """An operation that is repeated in a loop with a known bound."""
    x = m.tensor(lambda t: t.dtype in FLOATS and 1 <= t.dim() <= 4 and 0 < t.numel() < 500)
    v = m.values[x]
    name = m.name()
    turns = m.random.randrange(1, 4)
    step = m.pick(f"torch.cat([{name}, {x}], dim=0)", f"{name} * 2", f"{name} + {x}", f"{name}.unsqueeze(0)",
                  f"F.max_pool2d({name}, 2)" if v.dim() == 4 and min(v.shape[2:]) >= 2 ** turns else f"torch.relu({name})",
                  f"{name}[1:]" if v.shape[0] > turns else f"{name}.flatten()", f"torch.stack([{name}, {name}], -1)")
    block = f"{name} = {x}\nfor i in range({turns}):\n    {name} = {step}"
    return m.run(Operation([name], "", block=block))


def branch(m):
    """Two branches that give the same shape, or a test of the shape that is known."""
    x = m.tensor(lambda t: t.dim() >= 1)
    v = m.values[x]
    name = m.name()
    test = m.pick(f"{x}.dim() == {v.dim()}", f"{x}.shape[0] > 3", f"len({x}.shape) == 2", f"{x}.size(-1) % 2 == 0")
    block = f"if {test}:\n    {name} = {x} + 1\nelse:\n    {name} = {x} - 1"
    return m.run(Operation([name], "", block=block))


def comprehension(m):
    x = m.tensor(lambda t: t.dim() >= 1 and 0 < t.numel() < 800)
    n = m.random.randrange(1, 4)
    axis = m.axis(m.values[x].dim())
    return m.add(m.pick(f"torch.stack([{x} * i for i in range({n})])", f"torch.cat([{x} for _ in range({n})], dim={axis})",
                        f"sum([{x} for _ in range({n})])", f"torch.cat([{x}] * {n}, {axis})"))


def composed(m):
    """Several operations in one expression."""
    x = m.tensor(lambda t: t.dtype == torch.float32 and t.dim() == 4 and 0 < t.numel() < 5000)
    v = m.values[x]
    c = v.shape[1]
    return m.add(m.pick(f"F.relu(@0({x})).flatten(1)", f"@0({x}).mean(dim=(2, 3))", f"@0(F.relu({x})) + {x}",
                        f"torch.cat([{x}, @0({x})], 1)", f"@0({x}).view({x}.size(0), -1)"),
                 [f"nn.Conv2d({m.number(c, True)}, {m.number(c, True)}, 3, padding={m.number(1, True)})"])


def sequential(m):
    x = m.tensor(lambda t: t.dtype == torch.float32 and t.dim() in (2, 3, 4) and 0 < t.numel() < 5000)
    v = m.values[x]
    parts = []
    if v.dim() == 4:
        c = v.shape[1]
        d = m.random.randrange(1, 9)
        parts = [f"nn.Conv2d({m.number(c, True)}, {m.number(d, True)}, 3, padding=1)"]
        if v.shape[0] * v.shape[2] * v.shape[3] > 1:
            parts.append(f"nn.BatchNorm2d({m.number(d, True)})")
        parts.append("nn.ReLU()")
        h, w = v.shape[2:]
        if min(h, w) > 1 and m.one_in(2):
            parts.append("nn.MaxPool2d(2)")
            h, w = h // 2, w // 2
        if m.one_in(2):
            parts += ["nn.Flatten()", f"nn.Linear({m.number(d * h * w, True)}, {m.number(5, True)})"]
    else:
        width = v.shape[-1]
        for _ in range(m.random.randrange(1, 4)):
            out = m.random.randrange(1, 12)
            parts += [f"nn.Linear({m.number(width, True)}, {m.number(out, True)})", m.pick("nn.ReLU()", "nn.Tanh()", "nn.Dropout(0.5)")]
            width = out
    if m.one_in(4):
        return m.add(f"@0({x})", [f"nn.Sequential(*[{', '.join(parts)}])"])
    return m.add(f"@0({x})", [f"nn.Sequential({', '.join(parts)})"])


OPERATIONS = (
    [linear] * 6 + [conv] * 5 + [conv_transpose, functional_conv, adaptive_pool, layer_norm, group_norm, softmax, embedding, recurrent,
     recurrent_cell, attention, padding_layer, functional_pad, upsample, pixel_shuffle, masks, gather, one_hot, unfold, unflatten,
     loop, branch, comprehension, composed] + [pool] * 3 + [batch_norm] * 2 + [activation] * 2 + [flatten] * 2 + [reshape] * 5 +
    [permute] * 2 + [transpose] * 3 + [squeeze] * 4 + [expand] * 2 + [repeat] + [cat] * 4 + [stack] * 2 + [split] * 2 + [index] * 5 +
    [pick_rows] + [elementwise] * 5 + [with_scalar] * 2 + [unary] * 3 + [reduction] * 5 + [matmul] * 4 + [self_product] * 2 +
    [loss] * 3 + [sequential] * 3)
RARE = [transformer_layer]


def make(seed, slips=0.7, longest=9, only=None):
    """A program with its text, or None if nothing came of this seed."""
    torch.manual_seed(seed)
    m = Maker(seed, slips)
    try:
        for _ in range(m.random.randrange(1, 5)):
            if not m.add_input(make_input(m)):
                break
        if m.error is None:
            wanted = m.random.randrange(1, longest + 1)
            tries = 0
            while len(m.operations) < wanted and tries < 60 and m.error is None:
                tries += 1
                before = m.slipped, m.patience, m.count, dict(m.constants)
                try:
                    kind = m.random.choice(only or (OPERATIONS if m.random.random() < 0.995 else RARE))
                    kind(m)
                except Stop:
                    m.slipped, m.patience, m.count, m.constants = before
    except Stop:
        return None
    if not m.inputs and not m.operations:
        return None
    return write(m)


# Writing the program

def write(m):
    style = m.random.choice(("script", "script", "script", "inline", "function", "module", "module", "sized", "main"))
    lines = ["import torch", "import torch.nn.functional as F", "from torch import nn", ""]
    lines += [f"{name} = {value}" for name, value in m.constants.items()]
    inputs = [f"{o.names[0]} = {o.code}" for o in m.inputs]
    if m.error is not None and not m.operations[-1:] or not m.operations:
        return "\n".join(lines + inputs + [""])
    if m.error is not None and m.inputs and m.operations[-1] in m.inputs:
        style = "script"

    def body(prefix, with_layers):
        out = []
        for number, o in enumerate(m.operations):
            if o.block is not None:
                out += o.block.split("\n")
                continue
            code = o.code
            for index, layer in enumerate(o.layers):
                if with_layers == "inline":
                    name = layer
                else:
                    name = f"{prefix}layer{number}{'' if index == 0 else index}"
                    if with_layers == "here":
                        out.append(f"{name} = {layer}")
                code = code.replace(f"@{index}", name)
            out.append(f"{', '.join(o.names)} = {code}")
        return out

    def indent(part):
        return ["    " + line for line in part]

    results = [n for o in m.operations for n in o.names if "(" not in n]
    results = results[-m.random.randrange(1, 4):]
    arguments = ", ".join(o.names[0] for o in m.inputs)
    given = ", ".join("r_" + n for n in results)
    if style == "script":
        return "\n".join(lines + inputs + body("", "here") + [""])
    if style == "inline":
        return "\n".join(lines + inputs + body("", "inline") + [""])
    if style == "main":
        return "\n".join(lines + ["", "def main():"] + indent(inputs + body("", "here") + [f"return {', '.join(results)}"]) +
                         ["", "", 'if __name__ == "__main__":', f"    {given} = main()", ""])
    if style == "function":
        return "\n".join(lines + ["", f"def compute({arguments}):"] + indent(body("", "inline") + [f"return {', '.join(results)}"]) +
                         ["", ""] + inputs + [f"{given} = compute({arguments})", ""])
    layers = [(f"layer{number}{'' if index == 0 else index}", layer) for number, o in enumerate(m.operations)
              for index, layer in enumerate(o.layers)]
    if not layers:
        return "\n".join(lines + inputs + body("", "here") + [""])
    parameters, values = [], []
    made = []
    for name, layer in layers:
        if style == "sized":
            # The first number of a layer becomes an argument of the constructor.
            head, bracket, rest = layer.partition("(")
            number = ""
            while rest and rest[0].isdigit():
                number, rest = number + rest[0], rest[1:]
            if number and (rest[:1] in ",)"):
                parameter = f"size_{name}"
                default = m.one_in(3)
                parameters.append(f"{parameter}={number}" if default else parameter)
                values.append(None if default else f"{parameter}={number}" if m.one_in(2) else f"{parameter}={number}")
                layer = f"{head}({parameter}{rest}"
        made.append(f"self.{name} = {layer}")
    parameters.sort(key=lambda p: "=" in p)
    values = [v for v in values if v]
    constructor = ", ".join(["self", *parameters])
    text = lines + ["", "class Net(nn.Module):", f"    def __init__({constructor}):", "        super().__init__()"]
    text += indent(indent(made))
    text += ["", f"    def forward(self, {arguments}):"]
    text += indent(indent(body("self.", "attribute") + [f"return {', '.join(results)}"]))
    text += ["", ""] + inputs
    text += [f"net = Net({', '.join(values)})", f"{given} = net({arguments})", ""]
    return "\n".join(text)
