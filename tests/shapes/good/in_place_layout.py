# squeeze_ and the like change the shape of the tensor itself.
import torch
import torch.nn.functional as F

scores = torch.rand(4, 10, 1, 1)
scores.squeeze_(-1)
scores.squeeze_(-1)
print(F.cross_entropy(scores, torch.tensor([0, 1, 2, 3])))
weights = torch.rand(3, 5)
weights.t_()
print((torch.rand(2, 5) @ weights).shape)
row = torch.rand(6)
row.unsqueeze_(0)
print(torch.cat([row, torch.rand(1, 6)]).shape)
