import torch

buffer = torch.zeros(4, 5)
buffer[0] = torch.arange(5)
buffer[:, 1] = 3
buffer[1:3] += torch.ones(5)
buffer.add_(torch.ones(4, 1))
buffer.copy_(torch.zeros(5))
torch.add(buffer, 1, out=buffer)
queue = torch.zeros(10, 3)
queue[2:6] = torch.rand(4, 3)
queue.index_copy_(0, torch.tensor([7, 8]), torch.ones(2, 3))
buffer.scatter_(1, torch.zeros(4, 1, dtype=torch.long), 1.0)
