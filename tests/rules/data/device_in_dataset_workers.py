import torch
from torch.utils.data import DataLoader, Dataset


class OnGpu(Dataset):
    def __init__(self, rows):
        self.rows = torch.tensor(rows).cuda()

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


class WithModel(Dataset):
    def __init__(self, rows, encoder: torch.nn.Module):
        self.rows = rows
        self.encoder = encoder.to("cuda")

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        with torch.no_grad():
            return self.encoder(self.rows[index])


class OnCpu(Dataset):
    def __init__(self, rows):
        self.rows = torch.tensor(rows)
        self.weights = torch.ones(3).to("cuda")  # hint: DP401

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


def loaders(rows, encoder, where):
    a = DataLoader(OnGpu(rows), batch_size=8, shuffle=True, num_workers=4)  # expect: DP414
    data = OnGpu(rows)
    b = DataLoader(data, 8, num_workers=2)  # expect: DP414
    c = DataLoader(dataset=WithModel(rows, encoder), batch_size=8, num_workers=2)  # expect: DP414
    d = DataLoader(OnGpu(rows), batch_size=8, shuffle=True)
    e = DataLoader(OnGpu(rows), batch_size=8, num_workers=0)
    f = DataLoader(OnCpu(rows), batch_size=8, num_workers=2)
    g = DataLoader(where, batch_size=8, num_workers=2)
    h = DataLoader(OnGpu(rows) if where else OnCpu(rows), batch_size=8, num_workers=2)
    return a, b, c, d, e, f, g, h
