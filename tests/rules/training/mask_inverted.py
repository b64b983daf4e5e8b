import torch
import torch.nn.functional as F
from torch import nn
from transformers import AutoModel


class Encoder(nn.Module):
    def __init__(self, pad=0):
        super().__init__()
        self.pad = pad
        self.embed = nn.Embedding(1000, 64)
        self.attention = nn.MultiheadAttention(64, 4, batch_first=True)
        self.stack = nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, batch_first=True), 2)

    def forward(self, ids, lengths):
        x = self.embed(ids)
        x, _ = self.attention(x, x, x, key_padding_mask=ids != self.pad, need_weights=False)  # expect: DP902
        x, _ = self.attention(x, x, x, key_padding_mask=ids.ne(0), need_weights=False)  # expect: DP902
        present = torch.arange(ids.shape[1], device=ids.device)[None] < lengths[:, None]
        x = self.stack(x, src_key_padding_mask=present)  # expect: DP902
        x = self.stack(x, src_key_padding_mask=(1 - (ids == 0).long()).bool())  # expect: DP902
        # silent
        x, _ = self.attention(x, x, x, key_padding_mask=ids == self.pad, need_weights=False)
        x, _ = self.attention(x, x, x, key_padding_mask=~present, need_weights=False)
        x = self.stack(x, src_key_padding_mask=torch.logical_not(present))
        return self.stack(x, src_key_padding_mask=present.logical_not())


class Pretrained(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = AutoModel.from_pretrained("bert-base-uncased")
        self.attention = nn.MultiheadAttention(768, 8, batch_first=True)

    def forward(self, input_ids, attention_mask):
        h = self.body(input_ids, attention_mask=attention_mask).last_hidden_state
        a, _ = self.attention(h, h, h, key_padding_mask=attention_mask.bool(), need_weights=False)  # expect: DP902
        b, _ = self.attention(h, h, h, key_padding_mask=attention_mask == 0, need_weights=False)
        return a + b


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(64, 4, batch_first=True)

    def forward(self, x, here):
        return x + self.attention(x, x, x, key_padding_mask=here, need_weights=False)[0]  # expect: DP902


class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.mixer = Mixer()

    def forward(self, x, here):
        x = self.mixer(x, here)
        w = here.unsqueeze(-1).to(x.dtype)
        return (x * w).sum(1) / w.sum(1)


class Fused(nn.Module):
    def forward(self, q, k, v, ids):
        t = q.size(-2)
        future = torch.triu(torch.ones(t, t, dtype=torch.bool, device=q.device), diagonal=1)
        a = F.scaled_dot_product_attention(q, k, v, attn_mask=(ids == 0)[:, None, None])  # expect: DP902
        b = F.scaled_dot_product_attention(q, k, v, attn_mask=future)  # expect: DP181, DP902
        c = F.scaled_dot_product_attention(q, k, v, attn_mask=(ids != 0)[:, None, None])
        return a + b + c


def scores_of(scores, attention_mask, ids, mask):
    a = scores.masked_fill(ids != 0, float("-inf"))  # expect: DP902
    b = scores.masked_fill(ids == 0, float("-inf"))
    c = scores.masked_fill(mask, float("-inf"))
    d = scores.masked_fill(ids != 0, 0.0)
    return a + b + c + d


class Forecast(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("attention_mask", None)

    @staticmethod
    def future(n):
        step = torch.arange(n)
        return step[None] >= step[:, None]

    def forward(self, scores):
        self.attention_mask = self.future(scores.shape[-1])
        return scores.masked_fill(self.attention_mask, float("-inf"))


def batch_scores(scores, batch):
    return scores.masked_fill(batch.attention_mask.bool(), float("-inf"))  # expect: DP902
