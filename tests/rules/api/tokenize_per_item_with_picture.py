# Decoding the picture takes longer than the tokenizer.
from PIL import Image
from torch.utils.data import Dataset
from transformers import AutoTokenizer


class Captions(Dataset):
    def __init__(self, paths, texts):
        self.paths = paths
        self.texts = texts
        self.tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        image = Image.open(self.paths[index]).convert("RGB")
        return image, self.tokenizer(self.texts[index]).input_ids  # hint: DP149


class Texts(Dataset):
    def __init__(self, texts):
        self.texts = texts
        self.tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        return self.tokenizer(self.texts[index]).input_ids  # expect: DP149
