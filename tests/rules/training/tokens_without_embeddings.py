from transformers import AutoModelForCausalLM, AutoTokenizer


def adds():
    tokenizer = AutoTokenizer.from_pretrained("meta-llama/Llama-2-7b-hf")
    tokenizer.add_tokens(["<laugh>", "<sigh>"])  # expect: DP904
    tokenizer.add_special_tokens({"additional_special_tokens": ["<user>", "<bot>"]})  # expect: DP904
    tokenizer.add_special_tokens({"pad_token": "[PAD]"})  # hint: DP904
    tokenizer.add_special_tokens({"pad_token": tokenizer.eos_token})
    tokenizer.pad_token = tokenizer.eos_token
    return tokenizer, AutoModelForCausalLM.from_pretrained("meta-llama/Llama-2-7b-hf")
