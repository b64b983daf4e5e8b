from datasets import load_dataset
from transformers import AutoTokenizer


def main():
    tok = AutoTokenizer.from_pretrained("bert-base-uncased", use_fast=False)  # expect: DP148
    ds = load_dataset("wikipedia", "20220301.en", split="train")
    ds = ds.map(lambda b: tok(b["text"], truncation=True), batched=True, num_proc=8, remove_columns=ds.column_names)
    ds.save_to_disk("wiki-tokenized")


if __name__ == "__main__":
    main()
