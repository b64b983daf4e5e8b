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
