import torch
from torch import nn
from transformers import AutoModel


class Matcher(nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = AutoModel.from_pretrained("bert-base-uncased")
        self.head = nn.Linear(768, 2)

    def forward(self, batch):
        h = self.bert(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).last_hidden_state[:, 0]
        logits = self.head(h)
        return {"logits": logits, "loss": nn.functional.cross_entropy(logits, batch["labels"])}


def run_epoch(net, loader, opt=None):
    device = next(net.parameters()).device
    losses = torch.zeros((), device=device)
    hits = torch.zeros((), device=device)
    for batch in loader:
        batch = {k: v.to(device, non_blocking=True) for k, v in batch.items()}
        with torch.autocast("cuda", dtype=torch.bfloat16):
            out = net(batch)
        if opt is not None:
            opt.zero_grad(set_to_none=True)
            out["loss"].backward()
            opt.step()
        losses += out["loss"].detach()
        hits += (out["logits"].argmax(-1) == batch["labels"]).sum()
    return losses / len(loader), hits / len(loader.dataset)


def main(train, valid):
    net = Matcher().cuda()
    opt = torch.optim.AdamW(net.parameters(), lr=2e-5)
    for epoch in range(3):
        net.train()
        run_epoch(net, train, opt)
        net.eval()
        loss, acc = run_epoch(net, valid)  # expect: DP232
        print(epoch, loss, acc)
