import torch

windows = {}
tables = {}
turned = dict()
filled = {}
loaded = torch.load("tables.pt", weights_only=True)
handed = {}


def spectrum(audio, size):
    if size not in windows:  # expect: DP457
        windows[str(size) + "_" + str(audio.device)] = torch.hann_window(size, device=audio.device)
    return torch.stft(audio, size, window=windows[str(size) + "_" + str(audio.device)], return_complex=True)


class Positions:
    def __init__(self):
        self.kept = {}

    def get(self, length, device):
        if length not in self.kept:  # expect: DP457
            self.kept[(length, device)] = torch.arange(length, device=device)
        return self.kept[(length, device)]


def right(length, device):
    key = (length, device)
    if key not in tables:
        tables[key] = torch.arange(length, device=device)
    return tables[key]


def both(length, device):
    if length not in filled:
        filled[length] = {}
        filled[(length, device)] = torch.arange(length, device=device)
    return filled[(length, device)]


def from_file(length, device):
    if length not in loaded:
        loaded[(length, device)] = torch.arange(length, device=device)
    return loaded[(length, device)]


def elsewhere(length, device, fill):
    fill(handed)
    if length not in handed:
        handed[(length, device)] = torch.arange(length, device=device)
    return handed[(length, device)]


def as_text(name: str, device):
    if name not in tables:
        tables[str(name)] = torch.arange(4, device=device)
    return tables[name]


def local(names):
    seen = {}
    for name in names:
        if name not in seen:
            seen[name + "_"] = 1
    return seen


def present(length, device):
    if length in turned:  # expect: DP457
        return turned[(length, device)]
    else:
        turned[(length, device)] = torch.arange(length, device=device)
        return turned[(length, device)]


def counted(length, device):
    if length in tables:
        tables[(length, device)] = torch.arange(length, device=device)
