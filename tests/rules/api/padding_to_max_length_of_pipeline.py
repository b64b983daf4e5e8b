# The text encoder of a pipeline was trained on one length.
from torch.utils.data import Dataset
from transformers import AutoTokenizer, PreTrainedTokenizer


def preprocess(texts, tokenizer: PreTrainedTokenizer):
    return tokenizer(texts, padding="max_length", max_length=tokenizer.model_max_length, truncation=True).input_ids


class Captions(Dataset):
    def __init__(self, texts, tokenizer: PreTrainedTokenizer):
        self.ids = preprocess(texts, tokenizer)

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return self.ids[i]


def captions(texts, name):
    return Captions(texts, AutoTokenizer.from_pretrained(name, subfolder="tokenizer"))
