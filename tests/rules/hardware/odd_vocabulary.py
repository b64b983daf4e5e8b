from transformers import AutoModelForCausalLM, AutoTokenizer


def prepare(name, token):
    tokenizer = AutoTokenizer.from_pretrained(name)
    model = AutoModelForCausalLM.from_pretrained(name)
    tokenizer.add_special_tokens({"pad_token": token})
    model.resize_token_embeddings(len(tokenizer))  # hint: DP520
    model.resize_token_embeddings(len(tokenizer), pad_to_multiple_of=64)
    model.resize_token_embeddings(32064)
    return model
