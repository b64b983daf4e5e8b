from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM


def explicit():
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    model = get_peft_model(model, LoraConfig(r=8))
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": True})  # expect: DP844
    return model


def default():
    base = AutoModelForCausalLM.from_pretrained("gpt2")
    model = get_peft_model(base, LoraConfig(r=8))
    model.gradient_checkpointing_enable()  # hint: DP844
    return model


def before():
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    model.gradient_checkpointing_enable()
    return get_peft_model(model, LoraConfig(r=8))


def whole():
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    model.gradient_checkpointing_enable()
    return model


def chosen(options):
    model = get_peft_model(AutoModelForCausalLM.from_pretrained("gpt2"), LoraConfig(r=8))
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs=options)
    return model
