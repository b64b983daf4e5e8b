from functools import partial

import datasets
from transformers import AutoTokenizer


def to_ids(row, tok, field="text"):
    ids = tok(row[field], add_special_tokens=False)["input_ids"]
    return {"ids": ids + [tok.eos_token_id], "n": len(ids) + 1}


def to_length(row, limit):
    return {"n": min(len(row["text"]), limit)}


if __name__ == "__main__":
    tok = AutoTokenizer.from_pretrained("gpt2")
    raw = datasets.load_dataset("openwebtext", split="train")
    encoded = raw.map(partial(to_ids, tok=tok), remove_columns=raw.column_names)  # expect: DP142
    lengths = raw.map(partial(to_length, limit=100))
