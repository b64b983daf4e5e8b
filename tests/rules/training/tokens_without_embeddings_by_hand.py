# The embeddings of new tokens are added by hand.
import torch
from transformers import AutoTokenizer, CLIPTextModel

tokenizer = AutoTokenizer.from_pretrained("openai/clip-vit-base-patch32")
text_model = CLIPTextModel.from_pretrained("openai/clip-vit-base-patch32")


def with_tokens(tokens):
    for token in tokens:
        tokenizer.add_tokens([token])
        rows = text_model.text_model.embeddings.token_embedding.weight.data
        new = torch.zeros_like(rows)[:1]
        text_model.text_model.embeddings.token_embedding.weight.data = torch.cat([rows, new])
    return text_model
