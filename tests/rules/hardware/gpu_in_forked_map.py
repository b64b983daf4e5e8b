import torch
from datasets import load_dataset
from transformers import AutoModel, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModel.from_pretrained("bert-base-uncased").cuda().eval()


@torch.no_grad()
def embed(rows):
    batch = tokenizer(rows["text"], padding=True, truncation=True, return_tensors="pt").to("cuda")
    return {"embedding": model(**batch).last_hidden_state[:, 0].cpu().numpy()}


def tokenize(rows):
    return tokenizer(rows["text"], truncation=True)


data = load_dataset("imdb", split="train")
wrong = data.map(embed, batched=True, num_proc=4)  # expect: DP524
one = data.map(embed, batched=True, batch_size=64)
same = data.map(embed, batched=True, num_proc=1)
cpu = data.map(tokenize, batched=True, num_proc=4)
