import abc

import torch
from torch.utils.data import Dataset


class Base(Dataset[dict[str, torch.Tensor]], abc.ABC):
    @abc.abstractmethod
    def __getitem__(self, index): ...


class Targets(Base):
    def __init__(self, masks, mode):
        self.masks = masks
        self.mode = mode

    def __len__(self):
        return len(self.masks)

    def __getitem__(self, index):
        if self.mode == "mask":
            return {"mask": self.masks[index]}
        return self.labelled(index)

    def labelled(self, index):
        labels = []
        for mask in self.masks[index]:
            label = torch.unique(mask)[0]
            labels.append(label)
        return {"labels": torch.tensor(labels)}  # expect: DP137
