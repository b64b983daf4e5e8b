from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms

CONFIG = {"data": {"batch_size": 256, "num_workers": 0, "threads": 8}}


class Photos(Dataset):
    def __init__(self, paths):
        self.paths = paths
        self.transform = transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()])

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return self.transform(Image.open(self.paths[index]).convert("RGB"))


class Data:
    def __init__(self, config):
        self.config = config

    def loader(self, paths):
        workers = self.config["num_workers"]
        return DataLoader(  # expect: DP130
            Photos(paths), batch_size=self.config["batch_size"], shuffle=True, num_workers=workers, pin_memory=True
        )

    def fast(self, paths):
        return DataLoader(
            Photos(paths), batch_size=64, shuffle=True, num_workers=self.config["threads"], pin_memory=True
        )

    def chosen(self, paths):
        return DataLoader(Photos(paths), batch_size=64, shuffle=True, num_workers=0, pin_memory=True)  # hint: DP130


Data(CONFIG["data"]).loader([])
