from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("mistralai/Mistral-7B-Instruct-v0.3")


def one(chat):
    text = tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
    return tokenizer(text, return_tensors="pt")  # expect: DP195


def several(chats):
    texts = [tokenizer.apply_chat_template(chat, tokenize=False) for chat in chats]
    return tokenizer(texts, padding=True, return_tensors="pt")  # expect: DP195


def right(chat):
    text = tokenizer.apply_chat_template(chat, tokenize=False)
    a = tokenizer(text, return_tensors="pt", add_special_tokens=False)
    b = tokenizer.apply_chat_template(chat, return_tensors="pt")
    return a, b, tokenizer("plain text", return_tensors="pt")
