import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision.datasets import STL10
from torchvision.transforms import ToTensor


class Loop:
    def __init__(self, epochs):
        self.data = STL10("data", transform=ToTensor(), download=True)
        self.net = nn.Sequential(nn.Flatten(), nn.Linear(3 * 96 * 96, 10)).cuda()
        self.opt = torch.optim.AdamW(self.net.parameters())
        self.epochs = epochs
        self.loader = self.loader_()

    def loader_(self):
        return DataLoader(self.data, 128, shuffle=True, num_workers=12, pin_memory=True, persistent_workers=True)

    def run(self):
        for e in range(self.epochs):
            for x, y in self.loader:
                x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
                with torch.autocast("cuda", dtype=torch.bfloat16):
                    loss = nn.functional.cross_entropy(self.net(x), y)
                self.opt.zero_grad(set_to_none=True)
                loss.backward()
                self.opt.step()


Loop(50).run()
