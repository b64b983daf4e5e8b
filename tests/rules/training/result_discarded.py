import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader


def whole(loader: DataLoader, device, model):
    for step, batch in enumerate(loader):
        batch.to(device)  # a BatchEncoding moves what it holds
        model(**batch)


def train(loader: DataLoader, device, other):
    model = nn.Linear(3, 3)
    model.to(device)
    for x, y in loader:
        x.to(device)  # expect: DP891
        y = y.to(device)
        z = torch.zeros(3)
        z.unsqueeze(0)  # expect: DP891
        z.zero_()
        z.requires_grad_(True)
        other.to(device)
        print(z, y)


def clip(model):
    for p in model.parameters():
        p.grad.clamp(-1, 1)  # expect: DP891
        p.grad.data.mul(0.5)  # expect: DP891
        p.grad.clamp_(-1, 1)
        p.grad.zero_()
        p.data = p.data.clamp(-1, 1)


# What a plugin returns is unknown; it is moved as modules are, and the result of the last call is not needed.
def with_plugins(names, weights, dtype, device, load_plugin):
    networks = []
    for name in names:
        plugin = load_plugin(name)
        network, state = plugin.create_network(weights)
        network.load_state_dict(state, False)
        network.to(memory_format=torch.channels_last)
        network.to(dtype).to(device)
        networks.append(network)
    for network in networks:
        network.to(memory_format=torch.channels_last)
    return networks


def wake_devices(index: int):
    probe = torch.zeros(1).to(f"cuda:{index}")
    for other in range(torch.cuda.device_count()):
        probe.to(f"cuda:{other}")


def is_stackable(pieces):
    try:
        whole = torch.stack(pieces)
        whole.contiguous()
        return True
    except RuntimeError:
        return False


def is_stackable_and_logged(pieces):
    whole = torch.stack(pieces)
    try:
        whole.contiguous()  # expect: DP891
    except RuntimeError as error:
        print(error)


class Finalizers:
    def __init__(self):
        self.of = {}

    def release(self, address):
        finalizer = self.of.pop(address, None)
        if finalizer is not None:
            finalizer.detach()


def limited(heatmap):
    heatmap = np.abs(heatmap)
    np.clip(heatmap, 1e-3, 50.0, heatmap)
    np.clip(heatmap, 1e-3, 50.0)  # expect: DP891
    return heatmap
