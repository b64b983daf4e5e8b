from transformers import AutoTokenizer, GPT2Tokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
padded = AutoTokenizer.from_pretrained("bert-base-uncased")
local = AutoTokenizer.from_pretrained("./tokenizer")


def encode(texts: list[str]):
    return tokenizer(texts, padding=True, truncation=True, return_tensors="pt")  # expect: DP447


def encode_one(text):
    return tokenizer(text, truncation=True, return_tensors="pt")


def encode_padded(texts: list[str]):
    return padded(texts, padding=True, truncation=True, return_tensors="pt")


def encode_local(texts: list[str]):
    return local(texts, padding=True, truncation=True, return_tensors="pt")


class Encoder:
    def __init__(self):
        self.tokenizer = GPT2Tokenizer.from_pretrained("openai-community/gpt2-medium")  # hint: DP148

    def encode(self, rows):
        return self.tokenizer([row["text"] for row in rows], padding="longest", return_tensors="pt")  # expect: DP447
