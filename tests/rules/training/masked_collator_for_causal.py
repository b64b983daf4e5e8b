from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling, Trainer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2")


def train(data, arguments):
    collator = DataCollatorForLanguageModeling(tokenizer)  # expect: DP934
    Trainer(model=model, args=arguments, train_dataset=data, data_collator=collator).train()


def train_explicitly(data, arguments):
    collator = DataCollatorForLanguageModeling(tokenizer=tokenizer, mlm=True)  # expect: DP934
    Trainer(model=model, args=arguments, train_dataset=data, data_collator=collator).train()


def right(data, arguments):
    collator = DataCollatorForLanguageModeling(tokenizer, mlm=False)
    Trainer(model=model, args=arguments, train_dataset=data, data_collator=collator).train()
