# The texts get no end token, so that there is none to learn.
from transformers import AutoTokenizer, DataCollatorForLanguageModeling

tokenizer = AutoTokenizer.from_pretrained("gpt2")
tokenizer.pad_token = tokenizer.eos_token


def encode(batch):
    return tokenizer(batch["text"], truncation=True)


collator = DataCollatorForLanguageModeling(tokenizer, mlm=False)
