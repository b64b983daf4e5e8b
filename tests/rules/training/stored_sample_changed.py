import json

from torch.utils.data import Dataset


class Texts(Dataset):
    def __init__(self, path):
        self.samples = list(json.load(open(path)))

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        sample = self.samples[index]
        sample["text"] = sample.pop("input")  # expect: DP898
        return sample


class Deleted(Texts):
    def __getitem__(self, index):
        sample = self.samples[index]
        del sample["input"]  # expect: DP898
        return sample


class Copied(Texts):
    def __getitem__(self, index):
        sample = dict(self.samples[index])
        sample["text"] = sample.pop("input")
        return sample


class CopiedLater(Texts):
    def __getitem__(self, index):
        sample = self.samples[index]
        sample = sample.copy()
        sample["text"] = sample.pop("input")
        return sample


class WithDefault(Texts):
    def __getitem__(self, index):
        sample = self.samples[index]
        sample.pop("input", None)
        return sample
