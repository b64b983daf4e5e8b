import torch
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding

OPTIONS = {"batch_size": 16, "num_workers": 4, "pin_memory": True, "persistent_workers": True}


def main():
    tokenizer = AutoTokenizer.from_pretrained("roberta-base")
    splits = load_dataset("imdb").map(lambda rows: tokenizer(rows["text"], truncation=True), batched=True)
    data = splits["train"]
    loader = DataLoader(data, collate_fn=DataCollatorWithPadding(tokenizer), **OPTIONS)  # expect: DP817
    model = AutoModelForSequenceClassification.from_pretrained("roberta-base").cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    for _ in range(3):
        for batch in loader:
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = model(**batch.to("cuda", non_blocking=True)).loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


main()
