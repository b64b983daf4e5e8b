from datasets import load_dataset
from torch.utils.data import Dataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
reviews = load_dataset("imdb", split="train")


def encode(batch):
    return tokenizer(batch["text"], padding="max_length", max_length=512, truncation=True)  # expect: DP150


def encode_old(batch):
    return tokenizer.batch_encode_plus(batch["text"], pad_to_max_length=True, max_length=256)  # expect: DP150


FULL = "max_length"


def encode_named(batch):
    return tokenizer(batch["text"], padding=FULL, truncation=True)  # expect: DP150


def encode_dynamic(batch):
    return tokenizer(batch["text"], padding="longest", truncation=True)


def encode_model_length(batch):
    return tokenizer(batch["text"], padding="max_length", max_length=tokenizer.model_max_length)  # hint: DP199


def encode_short(batch):
    return tokenizer(batch["text"], padding="max_length", max_length=32)  # hint: DP199


one = reviews.map(encode, batched=True)
two = reviews.map(encode_old, batched=True)
three = reviews.map(encode_named, batched=True)
four = reviews.map(encode_dynamic, batched=True)
five = reviews.map(encode_model_length, batched=True)
six = reviews.map(encode_short, batched=True)


class Reviews(Dataset):
    def __init__(self, texts):
        self.texts = texts

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        return tokenizer(self.texts[index], padding="max_length", max_length=512)  # expect: DP149, DP150 # hint: DP199


def ask(question):
    return tokenizer(question, padding="max_length", max_length=512, return_tensors="pt")  # hint: DP199
