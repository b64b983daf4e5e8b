from dataclasses import dataclass

from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM
from trl import DPOTrainer, KTOTrainer


@dataclass
class Settings:
    checkpoint: str = "/models/sft"


def load(path):
    return AutoModelForCausalLM.from_pretrained(path, torch_dtype="bfloat16")


def add_adapters(model):
    model = get_peft_model(model, LoraConfig(r=16, task_type="CAUSAL_LM"))
    model.print_trainable_parameters()
    return model


def by_helpers(arguments, pairs):
    settings = Settings()
    policy = add_adapters(load(settings.checkpoint))
    reference = load(settings.checkpoint)
    return DPOTrainer(model=policy, ref_model=reference, args=arguments, train_dataset=pairs)  # expect: DP284


def directly(arguments, pairs):
    policy = get_peft_model(AutoModelForCausalLM.from_pretrained("sft"), LoraConfig(r=16))
    reference = AutoModelForCausalLM.from_pretrained("sft")
    return DPOTrainer(policy, reference, args=arguments, train_dataset=pairs)  # expect: DP284


def by_config(arguments, pairs):
    lora = LoraConfig(r=16, task_type="CAUSAL_LM")
    model = AutoModelForCausalLM.from_pretrained("sft")
    reference = AutoModelForCausalLM.from_pretrained("sft")
    return KTOTrainer(model=model, ref_model=reference, args=arguments, train_dataset=pairs, peft_config=lora)  # expect: DP284


def by_settings(arguments, pairs, settings):
    model = AutoModelForCausalLM.from_pretrained(settings.path)
    policy = get_peft_model(model, LoraConfig(r=16))
    reference = AutoModelForCausalLM.from_pretrained(settings.path)
    return DPOTrainer(policy, ref_model=reference, args=arguments, train_dataset=pairs)  # expect: DP284


# Right: no reference, another checkpoint, or a model that is trained as a whole.


def without(arguments, pairs):
    policy = get_peft_model(AutoModelForCausalLM.from_pretrained("sft"), LoraConfig(r=16))
    first = DPOTrainer(model=policy, ref_model=None, args=arguments, train_dataset=pairs)
    return first, DPOTrainer(model=policy, args=arguments, train_dataset=pairs)


def another(arguments, pairs):
    policy = get_peft_model(AutoModelForCausalLM.from_pretrained("sft"), LoraConfig(r=16))
    reference = AutoModelForCausalLM.from_pretrained("teacher")
    return DPOTrainer(model=policy, ref_model=reference, args=arguments, train_dataset=pairs)


def whole(arguments, pairs):
    model = AutoModelForCausalLM.from_pretrained("sft")
    reference = AutoModelForCausalLM.from_pretrained("sft")
    return DPOTrainer(model=model, ref_model=reference, args=arguments, train_dataset=pairs)


def unknown(arguments, pairs, reference, lora):
    model = AutoModelForCausalLM.from_pretrained("sft")
    first = DPOTrainer(model=model, ref_model=reference, args=arguments, train_dataset=pairs, peft_config=lora)
    second = AutoModelForCausalLM.from_pretrained("sft")
    return first, DPOTrainer(model=model, ref_model=second, args=arguments, train_dataset=pairs, peft_config=None)


def by_choice(arguments, pairs, use_adapters):
    lora = LoraConfig(r=16) if use_adapters else None
    if use_adapters:
        lora = LoraConfig(r=16)
    else:
        lora = None
    model = AutoModelForCausalLM.from_pretrained("sft")
    if lora is None:
        reference = AutoModelForCausalLM.from_pretrained("sft")
    else:
        reference = None
    return DPOTrainer(model, ref_model=reference, args=arguments, train_dataset=pairs, peft_config=lora)
