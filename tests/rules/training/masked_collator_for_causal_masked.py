from transformers import AutoModelForMaskedLM, AutoTokenizer, DataCollatorForLanguageModeling, Trainer


def train(data, arguments):
    tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
    model = AutoModelForMaskedLM.from_pretrained("bert-base-uncased")
    collator = DataCollatorForLanguageModeling(tokenizer)
    Trainer(model=model, args=arguments, train_dataset=data, data_collator=collator).train()
