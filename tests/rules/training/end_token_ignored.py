from transformers import AutoTokenizer, DataCollatorForLanguageModeling

tokenizer = AutoTokenizer.from_pretrained("gpt2")
tokenizer.pad_token = tokenizer.eos_token


def encode(batch):
    return tokenizer([f"{text}{tokenizer.eos_token}" for text in batch["text"]], truncation=True)


collator = DataCollatorForLanguageModeling(tokenizer, mlm=False)  # expect: DP935
