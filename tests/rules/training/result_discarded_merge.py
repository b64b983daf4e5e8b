from peft import PeftModel
from transformers import AutoModelForCausalLM


def export(path):
    base = AutoModelForCausalLM.from_pretrained("gpt2")
    model = PeftModel.from_pretrained(base, path)
    model.merge_and_unload()  # expect: DP891
    model.save_pretrained("merged")


def right(path):
    base = AutoModelForCausalLM.from_pretrained("gpt2")
    model = PeftModel.from_pretrained(base, path)
    model = model.merge_and_unload()
    model.save_pretrained("merged")
