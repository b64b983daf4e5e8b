import torch


class BertModel(torch.nn.Module):
    pass
