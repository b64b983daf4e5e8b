import numpy as np
import torch


def fires(stream):
    buffer = torch.zeros(4000, 32)
    for x in stream:
        buffer = torch.cat([buffer[1:], x.unsqueeze(0)])  # expect: DP424
    window = np.zeros(1000)
    for x in stream:
        window = np.append(window[1:], x)  # expect: DP424
    return buffer, window


def perhaps(stream, frames):
    stack = torch.zeros(4, 84, 84)
    for x in stream:
        stack = torch.cat((stack[1:], x))  # hint: DP424
    for x in stream:
        frames = torch.cat([frames[:, 1:], x], dim=1)  # hint: DP424
    return stack, frames


def silent(stream, x: torch.Tensor):
    buffer = torch.zeros(4000, 32)
    for t, row in enumerate(stream):
        buffer[t % 4000] = row
        shifted = torch.cat([x[1:], row])
    buffer = torch.cat([buffer[1:], x])
    return buffer, shifted
