from transformers import AutoTokenizer, DataCollatorForLanguageModeling


def make_tokenizer(name):
    tokenizer = AutoTokenizer.from_pretrained(name)
    tokenizer.add_special_tokens({"pad_token": tokenizer.eos_token})
    return tokenizer


def collator(data):
    tokenizer = make_tokenizer("gpt2")
    rows = data.map(lambda batch: tokenizer([text + tokenizer.eos_token for text in batch["text"]]), batched=True)
    return rows, DataCollatorForLanguageModeling(tokenizer, mlm=False)  # expect: DP935
