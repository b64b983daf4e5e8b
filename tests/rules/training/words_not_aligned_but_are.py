from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")


def encode(examples):
    encoded = tokenizer(examples["tokens"], truncation=True, is_split_into_words=True)
    labels = []
    for i, tags in enumerate(examples["ner_tags"]):
        labels.append([-100 if word is None else tags[word] for word in encoded.word_ids(batch_index=i)])
    encoded["labels"] = labels
    return encoded
