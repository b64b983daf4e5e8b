import inspect
import random

import torch


def vocabulary(tokens, count):
    words = []
    for i in range(count):
        if tokens[i] not in words:  # hint: DP156
            words.append(tokens[i])
    return torch.arange(len(words)), words


def until(source):
    seen = list()
    while True:
        word = source()
        if word in seen:  # hint: DP156
            break
        seen.append(word)
    return seen


def as_set(tokens, count):
    words = set()
    for i in range(count):
        if tokens[i] not in words:
            words.add(tokens[i])
    return words


def fixed(tokens, count):
    stop = ["a", "the"]
    kept = []
    for i in range(count):
        if tokens[i] not in stop:
            kept.append(tokens[i])
    return kept


def new_each_time(rows, count):
    for i in range(count):
        seen = []
        for cell in rows[i]:
            seen.append(cell)
        if 3 in seen:
            return seen
    return None


def few(tokens):
    words = []
    for i in range(3):
        if tokens[i] not in words:
            words.append(tokens[i])
    return words


def split(dataset, n, chosen):
    held_out = random.sample(range(n), n // 5)
    train = [i for i in range(n) if i not in held_out]  # expect: DP156
    fixed = {1, 2, 3}
    rest = [i for i in range(n) if i not in fixed]
    some = [i for i in range(n) if i in chosen]
    few = [i for i in range(3) if i in held_out]
    return train, rest, some, few


def vocabulary(texts):
    words = []
    for text in texts:
        for word in text.split():
            if word not in words:  # expect: DP156
                words.append(word)
    return words


# As many as there are environments: each leaves the list when it is busy.
class Environments:
    def __init__(self, count):
        self.ready = list(range(count))
        self.unknown = []

    def step(self, all_ids):
        for ids in all_ids:
            for one in ids:
                assert one in self.ready
            self.ready = [one for one in self.ready if one not in ids]
            for one in ids:
                self.ready.append(one)

    def encode(self, texts, table):
        found = []
        for text in texts:
            for char in text:
                try:
                    found.append(table[char])
                except KeyError:
                    if char not in self.unknown:  # hint: DP156
                        self.unknown.append(char)
        return found


def inverse_frequencies(labels):
    return [1.0 / labels.count(label) for label in labels]  # expect: DP156


def call_inverse_frequencies(dataset: torch.Tensor):
    return inverse_frequencies(dataset.tolist())


def numbered(path):
    with open(path) as file:
        lines = file.readlines()
    places = {}
    for number, line in enumerate(lines):
        places[number] = lines.index(line)  # expect: DP156
    return places


def perhaps_short(names):
    return [name for name in names if names.count(name) > 1]


def counted_otherwise(labels, other, text):
    for label in set(labels):
        print(labels.count(label))
    for label in other:
        print(labels.count(label))
    for label in labels:
        print(labels.count("x"), text.count(label))
    for name in ["a", "b"]:
        print(name)


def indices(graph):
    nodes = [node for node in graph.nodes()]
    names = ["a", "b", "c"]
    edges = []
    for a, b in graph.edges():
        edges.append((nodes.index(a), names.index(b)))  # expect: DP156
    return edges, nodes.index(graph.center)


# The few images of one prompt, of as many prompts as there are.
def new_images(prompts, parts):
    seen = []
    for prompt in prompts:
        for image in prompt["images"] + prompt["sounds"]:
            if image["id"] in seen:  # hint: DP156
                continue
            seen.append(image["id"])
            parts.append(torch.as_tensor(image["data"]))
    return parts


# The list only becomes shorter.
def worklist(todo, edges):
    left = list(todo)
    order = []
    while left:
        for end in edges[left[0]]:
            if end in left:
                left.remove(end)
        order.append(left.pop(0))
    return order


# Names of arguments, of as many classes as there are bases.
def argument_names(kind):
    names = []
    for base in inspect.getmro(kind):
        for name in inspect.signature(base.__init__).parameters:
            if name not in names:  # hint: DP156
                names.append(name)
    return names


def users(nodes):
    found = []
    for node in nodes:
        for user in node.users.keys():
            if user not in nodes and user not in found:  # hint: DP156
                found.append(user)
    return found


class Chained:
    def __init__(self, optimizers):
        self.chunks = []
        for optimizer in optimizers:
            for chunk in optimizer.chunks:
                if chunk not in self.chunks:  # hint: DP156
                    self.chunks.append(chunk)


class Split(torch.nn.Module):
    def __init__(self, splits):
        super().__init__()
        self.names = []
        for parts in splits:
            for name in parts:
                self.names.append(name)
        for block in range(8):
            for name, weight in self.named_parameters():
                if name in self.names:  # hint: DP156
                    weight.requires_grad = False
