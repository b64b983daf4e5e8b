from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

model = AutoModelForSeq2SeqLM.from_pretrained("t5-small")


class Collator:
    def __init__(self):
        self.tokenizer = AutoTokenizer.from_pretrained("t5-small")

    def __call__(self, rows):
        source = [row["source"] for row in rows]
        target = [row["target"] for row in rows]
        batch = self.tokenizer(source, padding=True, truncation=True, return_tensors="pt")
        labels = self.tokenizer(text_target=target, padding=True, truncation=True, return_tensors="pt")
        batch["labels"] = labels["input_ids"]  # expect: DP841
        return batch
