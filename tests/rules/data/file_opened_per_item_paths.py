import json
from pathlib import Path

from torch.utils.data import Dataset


class Captions(Dataset):
    def __init__(self, root):
        self.root = Path(root)
        self.names = sorted(self.root.glob("*.jpg"))

    def __len__(self):
        return len(self.names)

    def label(self, i):
        return json.load(open("labels.json"))[i]  # expect: DP406

    def __getitem__(self, i):
        captions = json.loads((self.root / "captions.json").read_text())  # expect: DP406
        own = (self.root / f"{i}.txt").read_text()
        return captions[self.names[i].name], own, self.label(i)
