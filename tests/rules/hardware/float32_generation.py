from diffusers import StableDiffusionPipeline
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, pipeline

model = AutoModelForCausalLM.from_pretrained("gpt2").to("cuda")  # expect: DP515


def answer(ids):
    return model.generate(ids, max_new_tokens=50)


class Translator:
    def __init__(self):
        self.model = AutoModelForSeq2SeqLM.from_pretrained("t5-small", device_map="auto")  # expect: DP515

    def translate(self, ids):
        return self.model.generate(ids)


def paint(prompt):
    pipe = StableDiffusionPipeline.from_pretrained("runwayml/stable-diffusion-v1-5")  # expect: DP515
    pipe = pipe.to("cuda")
    return pipe(prompt).images[0]


def chosen(ids, dtype):
    small = AutoModelForCausalLM.from_pretrained("gpt2", dtype=dtype)
    return small.generate(ids)


def task(text):
    return pipeline("text-generation")(text)


def scores(ids):
    other = AutoModelForCausalLM.from_pretrained("gpt2")
    return other.config, ids
