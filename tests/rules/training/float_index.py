import torch


def best(scores: torch.Tensor, words, names):
    top, places = scores.view(-1).topk(5)
    rows = places / words
    whole = places // words
    table = torch.zeros(3, 4)
    part = table[rows]  # expect: DP886
    other = table[places / 2, 0]  # expect: DP886
    good = table[whole], table[places % 2]
    rows = rows.long()
    return part, other, good, table[rows], names[3 / 1]
