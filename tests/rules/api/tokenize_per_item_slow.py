# Functions that an item leads to, with a tokenizer that is implemented in Python.
import transformers
from torch.utils.data import DataLoader, Dataset


def encode(sources, tokenizer):
    ids = tokenizer(sources)  # expect: DP149
    length = len(tokenizer(sources[:1]).input_ids)  # hint: DP149
    return ids, length


class Conversations(Dataset):
    def __init__(self, rows, tokenizer):
        self.rows = rows
        self.tokenizer = tokenizer

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return encode([self.rows[i]["text"]], self.tokenizer)


def encode_kept(sources, tokenizer):
    return tokenizer(sources)


class Kept(Dataset):
    def __init__(self, rows, tokenizer):
        self.rows = rows
        self.tokenizer = tokenizer
        self.cache = {}

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        if i not in self.cache:
            self.cache[i] = encode_kept([self.rows[i]["text"]], self.tokenizer)
        return self.cache[i]


def encode_fast(sources, tokenizer):
    return tokenizer(sources)  # hint: DP149


class WithFast(Dataset):
    def __init__(self, rows, tokenizer):
        self.rows = rows
        self.tokenizer = tokenizer

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return encode_fast([self.rows[i]["text"]], self.tokenizer)


class Collator:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def __call__(self, rows):
        return self.tokenizer([row["text"] for row in rows], padding=True, return_tensors="pt")  # expect: DP149


class FastCollator:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def __call__(self, rows):
        return self.tokenizer([row["text"] for row in rows], padding=True, return_tensors="pt")  # hint: DP149


def loaders(rows, name):
    slow = transformers.AutoTokenizer.from_pretrained(name, use_fast=False)  # hint: DP148
    fast = transformers.AutoTokenizer.from_pretrained(name)
    options = {"batch_size": 8, "num_workers": 4}
    return [
        DataLoader(Conversations(rows, slow), **options),
        DataLoader(Kept(rows, slow), **options),
        DataLoader(WithFast(rows, fast), **options),
        DataLoader(rows, collate_fn=Collator(slow), **options),
        DataLoader(rows, collate_fn=FastCollator(fast), **options),
    ]
