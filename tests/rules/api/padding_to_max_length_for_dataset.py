# A function that only datasets call, for a language model that is trained.
import transformers
from torch.utils.data import Dataset


def preprocess(texts, tokenizer: transformers.PreTrainedTokenizer):
    return tokenizer(
        texts,
        return_tensors="pt",
        padding="max_length",  # expect: DP150
        max_length=tokenizer.model_max_length,
        truncation=True,
    ).input_ids


class Texts(Dataset):
    def __init__(self, texts, tokenizer: transformers.PreTrainedTokenizer):
        self.ids = preprocess(texts, tokenizer)

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return self.ids[i]


def prompt(text, tokenizer: transformers.PreTrainedTokenizer):
    return tokenizer([text], padding="max_length", max_length=tokenizer.model_max_length, truncation=True)


def train(texts, name):
    model = transformers.AutoModelForCausalLM.from_pretrained(name)
    tokenizer = transformers.AutoTokenizer.from_pretrained(name, model_max_length=2048)
    print(prompt("Hello", tokenizer))
    trainer = transformers.Trainer(model=model, train_dataset=Texts(texts, tokenizer))
    trainer.train()
