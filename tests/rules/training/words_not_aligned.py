from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")


def encode(examples):
    encoded = tokenizer(examples["tokens"], truncation=True, is_split_into_words=True)
    labels = []
    for i, tags in enumerate(examples["ner_tags"]):
        count = len(encoded["input_ids"][i])
        labels.append((tags + [-100] * count)[:count])
    encoded["labels"] = labels  # expect: DP846
    return encoded


class Tagger:
    def __init__(self):
        self.tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")

    def encode(self, examples):
        encoded = self.tokenizer(examples["tokens"], is_split_into_words=True)
        return {"input_ids": encoded["input_ids"], "labels": examples["tags"]}  # expect: DP846


def words_only(examples):
    return tokenizer(examples["tokens"], is_split_into_words=True)


def texts(examples):
    encoded = tokenizer(examples["text"], truncation=True)
    encoded["labels"] = examples["label"]
    return encoded
