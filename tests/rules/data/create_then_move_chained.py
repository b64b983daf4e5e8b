# Copies that something else is called on, in the layers of a graph network.
import torch
from torch import nn
from torch_geometric.data import DataLoader
from torch_geometric.nn import MessagePassing


class Conv(MessagePassing):
    def __init__(self):
        super().__init__(aggr="add")
        self.layer = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor, edges: torch.Tensor, attributes: torch.Tensor):
        loops = torch.zeros(x.size(0), 2)
        loops[:, 0] = 4
        loops = loops.to(attributes.device).to(attributes.dtype)  # expect: DP401
        attributes = torch.cat((attributes, loops), dim=0)
        return self.propagate(edges, x=self.layer(x), attributes=attributes)


class OnDevice(MessagePassing):
    def forward(self, x: torch.Tensor, edges: torch.Tensor, attributes: torch.Tensor):
        loops = torch.zeros(x.size(0), 2, device=attributes.device)
        loops[:, 0] = 4
        loops = loops.to(attributes.dtype)
        return self.propagate(edges, x=x, attributes=torch.cat((attributes, loops), dim=0))


class Read(MessagePassing):
    def forward(self, x: torch.Tensor, edges: torch.Tensor, attributes: torch.Tensor):
        loops = torch.zeros(x.size(0), 2)
        copied = loops.to(attributes.device).to(attributes.dtype)
        print(loops.shape)
        return self.propagate(edges, x=x, attributes=torch.cat((attributes, copied), dim=0))


def train(dataset, model, optimizer, epochs):
    loader = DataLoader(dataset, batch_size=32, shuffle=True, num_workers=4)  # expect: DP132
    for _ in range(epochs):
        for batch in loader:  # expect: DP147
            loss = model(batch.to("cuda")).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
