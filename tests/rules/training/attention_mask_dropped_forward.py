from torch import nn
from transformers import AutoModel, AutoModelForCausalLM, BertModel


class Unread(nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = BertModel.from_pretrained("bert-base-uncased")
        self.head = nn.Linear(768, 2)

    def forward(self, input_ids, attention_mask):
        return self.head(self.bert(input_ids).pooler_output)  # expect: DP901


class UnreadByName(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = AutoModel.from_pretrained("roberta-base")

    def forward(self, ids, mask, labels):
        hidden = self.encoder(input_ids=ids).last_hidden_state  # expect: DP901
        return hidden[:, 0], labels


class UnreadToken(nn.Module):
    def __init__(self, name="bert-base-uncased"):
        super().__init__()
        self.encoder = AutoModel.from_pretrained(name)

    def forward(self, ids, att_mask):
        return self.encoder(ids)[0]  # expect: DP901


class Passed(nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = BertModel.from_pretrained("bert-base-uncased")

    def forward(self, input_ids, attention_mask):
        return self.bert(input_ids, attention_mask).pooler_output


class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = BertModel.from_pretrained("bert-base-uncased")

    def forward(self, input_ids, token_mask):
        hidden = self.bert(input_ids).last_hidden_state
        return (hidden * token_mask[..., None]).sum(1)


class NoMask(nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = BertModel.from_pretrained("bert-base-uncased")

    def forward(self, input_ids, mask=None):
        return self.bert(input_ids).pooler_output


class Causal(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = AutoModelForCausalLM.from_pretrained("gpt2")

    def forward(self, input_ids, attention_mask):
        return self.model(input_ids).logits
