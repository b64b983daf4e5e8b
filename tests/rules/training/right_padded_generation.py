from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
tokenizer.pad_token = tokenizer.eos_token
model = AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype="auto")


def answer(questions, size):
    for i in range(0, len(questions), size):
        batch = tokenizer(questions[i : i + size], padding=True, return_tensors="pt")  # expect: DP839
        yield model.generate(**batch)


def by_ids(questions):
    enc = tokenizer([q.strip() for q in questions], padding="longest", return_tensors="pt").to("cuda")  # expect: DP839
    return model.generate(enc["input_ids"], attention_mask=enc["attention_mask"])


def decoded(batch):
    enc = tokenizer(batch, padding=True, return_tensors="pt")  # expect: DP839
    out = model.generate(input_ids=enc.input_ids)  # expect: DP901
    return tokenizer.batch_decode(out, skip_special_tokens=True)


def one_text(question):
    enc = tokenizer(question, padding=True, return_tensors="pt")
    return tokenizer.decode(model.generate(**enc)[0])


def first_only(question):
    enc = tokenizer(question, padding=True, return_tensors="pt")
    return tokenizer.batch_decode(model.generate(**enc))[0]


def one_in_a_list(question):
    enc = tokenizer([question], padding=True, return_tensors="pt")
    return model.generate(**enc)


def without_padding(questions):
    enc = tokenizer(questions[:8], return_tensors="pt")
    return model.generate(**enc)


class Summarizer:
    def __init__(self):
        self.tokenizer = AutoTokenizer.from_pretrained("t5-small")
        self.model = AutoModelForSeq2SeqLM.from_pretrained("t5-small", torch_dtype="auto")

    def run(self, texts):
        enc = self.tokenizer(texts[:8], padding=True, return_tensors="pt")
        return self.model.generate(**enc)


class Llama:
    def __init__(self):
        self.tokenizer = AutoTokenizer.from_pretrained("meta-llama/Llama-2-7b-hf")
        self.model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-2-7b-hf", torch_dtype="auto")

    def run(self, texts):
        enc = self.tokenizer(texts[:8], padding=True, return_tensors="pt")
        return self.model.generate(**enc)
