import functools
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, random_split


class Clips(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        clip = np.load(self.files[i])
        return clip[:100].reshape(10, 10), int(self.files[i][-5])


def by_index(batch):
    return torch.tensor([b[0] for b in batch]), torch.tensor([b[1] for b in batch])  # expect: DP137


def by_unpacking(batch):
    return torch.as_tensor([clip for clip, _ in batch]), torch.tensor([y for _, y in batch])  # expect: DP137


def by_zip(batch):
    clips, labels = zip(*batch)
    return torch.FloatTensor(clips), torch.tensor(labels)  # expect: DP137


def by_append(batch, scale):
    clips, labels = [], []
    for clip, label in batch:
        clips.append(clip)
        labels.append(label)
    return torch.tensor(clips) * scale, torch.tensor(labels)  # expect: DP137


class Collate:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, samples):
        xs = [s[0] for s in samples]
        return torch.tensor(xs) * self.scale, torch.tensor([s[1] for s in samples])  # expect: DP137


class CollateGood:
    def __call__(self, samples):
        xs = [s[0] for s in samples]
        return torch.from_numpy(np.stack(xs)), torch.tensor([s[1] for s in samples])


data = Clips(["a1.npy"])
DataLoader(data, batch_size=8, num_workers=2, collate_fn=by_index)
DataLoader(data, batch_size=8, num_workers=2, collate_fn=by_unpacking)
DataLoader(data, batch_size=8, num_workers=2, collate_fn=by_zip)
DataLoader(data, batch_size=8, num_workers=2, collate_fn=functools.partial(by_append, scale=2))
DataLoader(data, batch_size=8, num_workers=2, collate_fn=Collate(2.0))
DataLoader(data, batch_size=8, num_workers=2, collate_fn=CollateGood())
DataLoader(data, batch_size=8, num_workers=2, collate_fn=lambda items: torch.tensor([i[0] for i in items]))  # expect: DP137


class Lengths(torch.utils.data.Dataset):
    def __init__(self, rows):
        self.rows = np.array(rows)
        self.lengths = np.array([len(row) for row in rows])

    def __getitem__(self, index):
        return self.rows[index], self.lengths[index]

    def collate(self, batch):
        lengths = [one[1] for one in batch]  # numbers, not arrays
        return torch.tensor(lengths)


def best_of(rows):
    for part in rows:
        best = [np.argmax(row) + 2 for row in part]
    return torch.tensor(best)
