from datasets import load_dataset
from torch.nn.utils import clip_grad_norm_
from transformers import AutoTokenizer, TrainingArguments

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")


def encode(batch):
    return tokenizer(batch["text"], padding="max_length", truncation=True, max_length=512)  # expect: DP150


tokens = load_dataset("imdb").map(encode, batched=True)
args = TrainingArguments(output_dir="out")
