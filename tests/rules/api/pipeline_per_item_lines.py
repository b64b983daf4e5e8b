import json

from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")


def ids_of(path, lines):
    ids = []
    with open(path) as file:
        for line in file:
            ids.extend(tokenizer.encode(json.loads(line)["text"]))  # expect: DP141
    for line in lines:
        ids.extend(tokenizer.encode(line))  # hint: DP141
    return ids
