from transformers import AutoModelForCausalLM, AutoTokenizer


def resized():
    tokenizer = AutoTokenizer.from_pretrained("gpt2")
    tokenizer.add_tokens(["<laugh>", "<sigh>"])
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    model.resize_token_embeddings(len(tokenizer))  # hint: DP520
    return tokenizer, model
