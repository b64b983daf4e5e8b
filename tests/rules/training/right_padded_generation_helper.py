from transformers import AutoModelForCausalLM, AutoTokenizer

MODEL = "gpt2"


class Writer:
    def __init__(self):
        self.tokenizer = AutoTokenizer.from_pretrained(MODEL)
        self.tokenizer.pad_token = self.tokenizer.eos_token
        self.model = AutoModelForCausalLM.from_pretrained(MODEL, torch_dtype="auto")

    def encode(self, bodies):
        prompts = [f"Question: {body}" for body in bodies]
        batch = self.tokenizer(prompts, return_tensors="pt", padding=True)  # expect: DP839
        return batch.to("cuda")

    def encode_one(self, body):
        return self.tokenizer(f"Question: {body}", return_tensors="pt", padding=True)

    def encode_open(self, bodies):
        return self.tokenizer([f"Question: {body}" for body in bodies])

    def write(self, bodies):
        batch = self.encode(bodies)
        return self.tokenizer.batch_decode(self.model.generate(**batch, max_new_tokens=8))

    def write_one(self, body):
        return self.tokenizer.decode(self.model.generate(**self.encode_one(body), max_new_tokens=8)[0])

    def write_open(self, bodies):
        batch = self.encode_open(bodies)
        return self.model.generate(batch["input_ids"], max_new_tokens=8)


tokenizer = AutoTokenizer.from_pretrained(MODEL)
model = AutoModelForCausalLM.from_pretrained(MODEL, torch_dtype="auto")


def pack(texts):
    return tokenizer(list(texts), return_tensors="pt", padding="longest")  # expect: DP839


def answer(texts):
    packed = pack(texts).to("cuda")
    return tokenizer.batch_decode(
        model.generate(input_ids=packed["input_ids"], attention_mask=packed["attention_mask"], max_new_tokens=8)
    )
