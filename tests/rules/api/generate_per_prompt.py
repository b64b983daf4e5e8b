from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2", padding_side="left")
model = AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype="auto")


def answer(prompts):
    answers = []
    for prompt in prompts:
        inputs = tokenizer(prompt, return_tensors="pt")  # hint: DP141
        answers.append(model.generate(**inputs, max_new_tokens=50))  # hint: DP152
    return answers


class Translator:
    def __init__(self):
        self.tokenizer = AutoTokenizer.from_pretrained("t5-small")
        self.model = AutoModelForSeq2SeqLM.from_pretrained("t5-small").to("cuda")

    def translate(self, lines):
        for line in lines:
            ids = self.tokenizer.encode("translate: " + line, return_tensors="pt").to("cuda")  # hint: DP141
            yield self.model.generate(ids)  # hint: DP152


def by_template(chats):
    for chat in chats:
        ids = tokenizer.apply_chat_template(chat, return_tensors="pt")
        model.generate(ids)  # hint: DP152


def in_batches(prompts):
    for start in range(0, len(prompts), 8):
        inputs = tokenizer(prompts[start : start + 8], padding=True, return_tensors="pt")  # expect: DP447
        model.generate(**inputs)


def over_batches(batches):
    for batch in batches:
        inputs = tokenizer(batch, padding=True, return_tensors="pt")  # expect: DP447
        model.generate(**inputs)


def from_loader(dataset):
    for texts in DataLoader(dataset, batch_size=8, num_workers=2):
        model.generate(**tokenizer(texts, return_tensors="pt", padding=True))  # expect: DP447


def chat():
    for _ in range(1000):
        text = input()
        model.generate(**tokenizer(text, return_tensors="pt"))


def all_at_once(prompts):
    return model.generate(**tokenizer(prompts, padding=True, return_tensors="pt"))  # expect: DP447
