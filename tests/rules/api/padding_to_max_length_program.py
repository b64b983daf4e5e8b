import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

MAX_LEN = 1024


class Sentences(Dataset):
    def __init__(self, ids, tags):
        self.ids, self.tags = ids, tags

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return torch.tensor(self.ids[i]), self.tags[i]


def collate(rows):
    ids, tags = zip(*rows)
    out = torch.zeros(len(ids), MAX_LEN, dtype=torch.long)  # expect: DP150
    for i, s in enumerate(ids):
        out[i, :len(s)] = s[:MAX_LEN]
    return out, torch.tensor(tags)


class Tagger(torch.nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.emb = torch.nn.Embedding(vocab, 256, padding_idx=0)
        self.enc = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(256, 8, batch_first=True), 6)
        self.out = torch.nn.Linear(256, 5)

    def forward(self, x):
        return self.out(self.enc(self.emb(x), src_key_padding_mask=x == 0).mean(1))


def main(ids, tags):
    net = Tagger(30000).cuda()
    opt = torch.optim.AdamW(net.parameters())
    loader = DataLoader(Sentences(ids, tags), 32, shuffle=True, collate_fn=collate, num_workers=4, pin_memory=True, persistent_workers=True)
    for _ in range(5):
        for x, y in loader:
            x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = torch.nn.functional.cross_entropy(net(x), y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
