import torch
from torch.utils.data import Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Samples(Dataset):
    def __init__(self, rows, labels, where):
        self.rows = rows
        self.labels = torch.tensor(labels).cuda()
        self.where = where

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        x = torch.tensor(self.rows[index]).cuda()  # expect: DP414
        y = torch.tensor(self.rows[index]).to(device)  # expect: DP414
        z = torch.tensor(self.rows[index]).to("cuda:0", torch.float32)  # expect: DP414
        kept = torch.tensor(self.rows[index]).to(torch.float32)
        somewhere = torch.tensor(self.rows[index]).to(self.where)
        back = self.labels[index].to("cpu")
        return x, y, z, kept, somewhere, back


class Loop:
    def __getitem__(self, index):
        return torch.zeros(3).cuda()  # hint: DP401


def train(step, loader):
    for batch in loader:
        step(batch.cuda(non_blocking=True))


def to_gpu(rows):
    return torch.stack(rows).cuda()  # expect: DP414


def to_device(rows, device="cpu"):
    return torch.stack(rows).to(device)


def collated(dataset):
    a = torch.utils.data.DataLoader(dataset, 32, num_workers=4, collate_fn=to_gpu)
    b = torch.utils.data.DataLoader(dataset, 32, num_workers=4, collate_fn=to_device, persistent_workers=True)
    return a, b
