import torch

x = torch.randn(4, 5, 6)
assert x[..., 0].shape == (4, 5)
assert x[:, None].shape == (4, 1, 5, 6)
assert x[1:3, ::2, -1].shape == (2, 3)
assert x[[0, 2]].shape == (2, 5, 6)
assert x[torch.tensor([0, 1]), torch.tensor([2, 3])].shape == (2, 6)
assert x[:, torch.arange(5), torch.arange(5)].shape == (4, 5)
assert x[x > 0].dim() == 1
assert x[10:].shape == (0, 5, 6)
assert x[:, -10:].shape == (4, 5, 6)
rows = torch.arange(4)[:, None]
assert x[rows, torch.tensor([[0, 1]])].shape == (4, 2, 6)
first, *rest = x
assert first.shape == (5, 6) and len(rest) == 3
