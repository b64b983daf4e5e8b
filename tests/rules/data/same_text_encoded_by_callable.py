from transformers import AutoTokenizer


class Encoder:
    def __init__(self, name):
        self.tokenizer = AutoTokenizer.from_pretrained(name)

        def encode(item):
            return self.tokenizer([item["text"]], truncation=True, return_tensors="pt").input_ids

        self.encode = encode

    def __call__(self, item):
        return self.encode(item)


def prepare(dataset, name):
    encoder = Encoder(name)
    rows = []
    for item in dataset:
        rows.append(encoder(item))
    return rows
