from datasets import load_dataset
from transformers import AutoTokenizer, BertForSequenceClassification, Trainer, TrainingArguments, ViTForImageClassification

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")


def prepare(batch):
    batch["pixel_values"] = [to_tensor(x) for x in batch["image"]]
    del batch["image"]
    return batch


def collate(rows):
    return tokenizer([row["text"] for row in rows], padding=True, return_tensors="pt")  # hint: DP149


def collate_tokens(rows):
    return tokenizer.pad([{"input_ids": row["input_ids"]} for row in rows])


def with_transform():
    data = load_dataset("food101", split="train").with_transform(prepare)
    model = ViTForImageClassification.from_pretrained("google/vit-base-patch16-224")
    args = TrainingArguments(output_dir="out", bf16=True)
    return Trainer(model=model, args=args, train_dataset=data)  # expect: DP843


def set_transform():
    data = load_dataset("food101")
    data["train"].set_transform(prepare)
    model = ViTForImageClassification.from_pretrained("google/vit-base-patch16-224")
    return Trainer(model, TrainingArguments("out", bf16=True), train_dataset=data["train"])  # expect: DP843


def with_collator():
    data = load_dataset("imdb", split="train")
    model = BertForSequenceClassification.from_pretrained("bert-base-uncased")
    args = TrainingArguments(output_dir="out", bf16=True)
    return Trainer(model=model, args=args, data_collator=collate, train_dataset=data)  # expect: DP130, DP843


def tokens():
    data = load_dataset("imdb", split="train")
    model = BertForSequenceClassification.from_pretrained("bert-base-uncased")
    args = TrainingArguments(output_dir="out", bf16=True)
    return Trainer(model=model, args=args, data_collator=collate_tokens, train_dataset=data)


def own_arguments(args):
    data = load_dataset("food101", split="train").with_transform(prepare)
    model = ViTForImageClassification.from_pretrained("google/vit-base-patch16-224")
    return Trainer(model=model, args=args, train_dataset=data)


def mapped():
    data = load_dataset("food101", split="train").map(prepare, batched=True)
    model = ViTForImageClassification.from_pretrained("google/vit-base-patch16-224")
    args = TrainingArguments(output_dir="out", bf16=True)
    return Trainer(model=model, args=args, train_dataset=data)
from elsewhere import to_tensor
