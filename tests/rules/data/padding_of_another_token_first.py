"""Right: the pad token comes first, and has the id 0."""

import torch
from tokenizers import Tokenizer, models, trainers


def train(texts):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.train_from_iterator(texts, trainers.WordPieceTrainer(special_tokens=["[PAD]", "[UNK]", "[CLS]"]))
    tokenizer.enable_padding()
    tokenizer.enable_padding(length=64)
    return tokenizer


def load(path):
    tokenizer = Tokenizer.from_file(path)
    tokenizer.enable_padding()
    return tokenizer


def encode(tokenizer, texts):
    return torch.tensor([one.ids for one in tokenizer.encode_batch(texts)])
