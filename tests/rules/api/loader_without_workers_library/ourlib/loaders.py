from PIL import Image
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __getitem__(self, index):
        return Image.open(self.paths[index]).convert("RGB")


# Nothing here creates one: its users choose.
class Offered:
    def __init__(self, paths, num_workers=0):
        self.paths = paths
        self.num_workers = num_workers

    def loader(self):
        return DataLoader(Pictures(self.paths), num_workers=self.num_workers)  # hint: DP130


class Used:
    def __init__(self, paths, num_workers=0):
        self.paths = paths
        self.num_workers = num_workers

    def loader(self):
        return DataLoader(Pictures(self.paths), num_workers=self.num_workers)  # expect: DP130


# One decision for both.
def loaders(paths, others):
    train = DataLoader(Pictures(paths), batch_size=8, shuffle=True)  # expect: DP130
    valid = DataLoader(Pictures(others), batch_size=8)
    return train, valid, Used(paths).loader()
