from datasets import load_dataset
from transformers import Trainer, TrainingArguments, ViTForImageClassification


def prepare(batch):
    return {"pixel_values": [to_tensor(x) for x in batch["image"]], "labels": batch["label"]}


data = load_dataset("food101", split="train").with_transform(prepare)
model = ViTForImageClassification.from_pretrained("google/vit-base-patch16-224")
args = TrainingArguments(output_dir="out", remove_unused_columns=False, bf16=True)
trainer = Trainer(model=model, args=args, train_dataset=data)
from elsewhere import to_tensor
