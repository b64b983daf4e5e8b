from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
tokenizer.add_special_tokens({"pad_token": "<pad>"})
model = AutoModelForCausalLM.from_pretrained("gpt2")
model.resize_token_embeddings(len(tokenizer))  # hint: DP520


class Collator:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def __call__(self, rows):
        texts = [row["text"] for row in rows]
        batch = self.tokenizer(texts, padding="longest", truncation=True, return_tensors="pt")
        return self.with_labels(batch)

    def with_labels(self, batch):
        labels = batch["input_ids"].clone()
        batch["labels"] = labels  # expect: DP841
        return batch


def add_labels(batch):
    return {**batch, "labels": batch["input_ids"]}


def collate(rows):
    return add_labels(tokenizer([row["text"] for row in rows], return_tensors="pt"))


collators = [Collator(tokenizer), collate]
