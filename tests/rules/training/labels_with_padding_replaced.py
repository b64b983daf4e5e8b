from transformers import AutoTokenizer, T5ForConditionalGeneration

tokenizer = AutoTokenizer.from_pretrained("t5-small")
model = T5ForConditionalGeneration.from_pretrained("t5-small")


def collate(rows):
    batch = tokenizer([row["source"] for row in rows], padding=True, return_tensors="pt")
    target = tokenizer([row["target"] for row in rows], padding=True, return_tensors="pt")
    labels = target["input_ids"]
    labels[labels == tokenizer.pad_token_id] = -100
    batch["labels"] = labels
    return batch
