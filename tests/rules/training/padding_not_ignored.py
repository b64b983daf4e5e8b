import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

PAD = -1
criterion = nn.CrossEntropyLoss()


def loss_of(scores, words, labels, more):
    padded = pad_sequence(labels, batch_first=True, padding_value=PAD)  # expect: DP889
    good = pad_sequence(labels, True, -100)
    inputs = pad_sequence(words, batch_first=True)
    unknown = pad_sequence(more, batch_first=True, padding_value=words)
    return criterion(scores.flatten(0, 1), padded.flatten()), good, inputs, unknown, torch.float32
