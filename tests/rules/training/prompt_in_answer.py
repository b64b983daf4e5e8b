import json

import torch
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

NAME = "Qwen/Qwen2.5-7B-Instruct"
TEMPLATE = "Does the answer fit? {answer}\nReply with YES or NO only."
LABEL = "Classify this text as positive or negative.\nText: {text}\nLabel:"
tokenizer = AutoTokenizer.from_pretrained(NAME, padding_side="left")
model = AutoModelForCausalLM.from_pretrained(NAME, torch_dtype=torch.bfloat16, device_map="auto")


class Judge:
    @torch.inference_mode()
    def answers(self, rows):
        inputs = tokenizer([TEMPLATE.format(**row) for row in rows], padding=True, return_tensors="pt").to(model.device)
        output = model.generate(**inputs, max_new_tokens=4, do_sample=False)
        return tokenizer.batch_decode(output, skip_special_tokens=True)

    @torch.inference_mode()
    def new_parts(self, rows):
        inputs = tokenizer([TEMPLATE.format(**row) for row in rows], padding=True, return_tensors="pt").to(model.device)
        output = model.generate(**inputs, max_new_tokens=4, do_sample=False)
        return tokenizer.batch_decode(output[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True)

    def verdicts(self, rows):
        return ["YES" in answer.upper() for answer in self.answers(rows)]  # expect: DP992

    def right_verdicts(self, rows):
        return ["YES" in answer.upper() for answer in self.new_parts(rows)]

    def unrelated(self, rows):
        return ["FORTY-TWO" in answer for answer in self.answers(rows)]


def complete(prompt):
    inputs = tokenizer(prompt, return_tensors="pt").to(model.device)
    output = model.generate(**inputs, max_new_tokens=8)
    return tokenizer.decode(output[0], skip_special_tokens=True)


def classify(text):
    answer = complete(LABEL.format(text=text)).strip().lower()
    if answer == "positive":  # expect: DP992
        return 1
    return 0 if answer.startswith("negative") else None  # expect: DP992


def extract(text):
    return json.loads(complete("Return JSON for: " + text))  # expect: DP992


def cut(text):
    prompt = LABEL.format(text=text)
    answer = complete(prompt)
    return "positive" in answer[len(prompt) :]


def split(text):
    answer = complete(LABEL.format(text=text))
    return "positive" in answer.split("Label:")[-1]


def translate(text):
    other = AutoModelForSeq2SeqLM.from_pretrained("t5-small")
    ids = tokenizer("positive or negative: " + text, return_tensors="pt").input_ids
    return "positive" in tokenizer.decode(other.generate(ids)[0])


def show(text):
    print(complete(text))
