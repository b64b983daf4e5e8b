from datasets import load_dataset
from torch.utils.data import DataLoader, Dataset, IterableDataset

stream = load_dataset("allenai/c4", "en", split="train", streaming=True)
loader = DataLoader(stream, batch_size=8, shuffle=True, num_workers=4)  # expect: DP452


def tokenized(tokenizer):
    data = load_dataset("allenai/c4", "en", streaming=True)["train"].shuffle(buffer_size=10_000, seed=0)
    data = data.map(lambda rows: tokenizer(rows["text"], truncation=True, max_length=512), batched=True)
    return data.remove_columns(["text"]).with_format("torch")


def load(tokenizer):
    return DataLoader(tokenized(tokenizer), 8, True, num_workers=4)  # expect: DP452


class Lines(IterableDataset):
    def __init__(self, path):
        self.path = path

    def __iter__(self):
        with open(self.path) as lines:
            yield from lines


def of_lines(path):
    return DataLoader(Lines(path), batch_size=8, shuffle=True)  # expect: DP130, DP452


# ---- clean --------------------------------------------------------------------------------------------------------

unshuffled = DataLoader(stream.shuffle(buffer_size=1000), batch_size=8, num_workers=4)
whole = load_dataset("imdb", split="train")
shuffled = DataLoader(whole, batch_size=8, shuffle=True, num_workers=4)


class Rows(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


def of_first(count):
    return DataLoader(Rows(list(stream.take(count))), batch_size=8, shuffle=True)


def of_choice(name, streaming):
    return DataLoader(load_dataset(name, split="train", streaming=streaming), batch_size=8, shuffle=True, num_workers=4)


def of_unknown(dataset):
    return DataLoader(dataset, batch_size=8, shuffle=True, num_workers=4)
