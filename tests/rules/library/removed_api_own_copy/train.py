import torch
from transformers import AdamW
from transformers.modeling_bert import BertModel


def silent(model):
    # The folder beside this file is meant.
    return AdamW(model.parameters()), BertModel(), torch.ones(2)
