import torch

v, m, b = torch.rand(3), torch.rand(3, 4), torch.rand(5, 4, 3)
assert (v @ m).shape == (4,)
assert (m.t() @ v).shape == (4,)
assert (v @ v).shape == ()
assert (b @ v).shape == (5, 4)
assert (b @ m).shape == (5, 4, 4)
assert (torch.rand(2, 1, 4, 3) @ torch.rand(7, 3, 2)).shape == (2, 7, 4, 2)
assert torch.einsum("bij,jk->bik", b, m).shape == (5, 4, 4)
assert torch.einsum("...ij->...ji", b).shape == (5, 3, 4)
assert torch.einsum("i,i", v, v).shape == ()
assert torch.tensordot(b, m, dims=([2], [0])).shape == (5, 4, 4)
assert torch.outer(v, torch.rand(6)).shape == (3, 6)
