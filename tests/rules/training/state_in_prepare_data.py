import lightning as L
from datasets import load_dataset
from torch.utils.data import DataLoader


class Reviews(L.LightningDataModule):
    def prepare_data(self):
        self.data = load_dataset("imdb")  # expect: DP939

    def train_dataloader(self):
        return DataLoader(self.data["train"], batch_size=32, shuffle=True, num_workers=4)


class Right(L.LightningDataModule):
    def prepare_data(self):
        load_dataset("imdb")
        self.is_prepared = True

    def setup(self, stage):
        self.data = load_dataset("imdb")

    def train_dataloader(self):
        return DataLoader(self.data["train"], batch_size=32, shuffle=True, num_workers=4)


class Again(L.LightningDataModule):
    def prepare_data(self):
        self.data = load_dataset("imdb")

    def setup(self, stage):
        self.data = load_dataset("imdb")

    def train_dataloader(self):
        return DataLoader(self.data["train"], batch_size=32, shuffle=True, num_workers=4)


class Plain:
    def prepare_data(self):
        self.data = load_dataset("imdb")

    def loader(self):
        return self.data
