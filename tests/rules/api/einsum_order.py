import numpy as np
import torch


def fires(a, b, c, v):
    x = np.einsum("ij,jk,kl->il", a, b, c)  # expect: DP164
    y = torch.einsum("ij,jk,k->i", a, b, v)  # expect: DP164
    return x, y


def silent(a, b, c, v, equation, operands):
    x = np.einsum("ij,jk,kl->il", a, b, c, optimize=True)
    y = torch.einsum("i,ij,jk->k", v, a, b)
    z = torch.einsum("ij,jk->ik", a, b)
    w = np.einsum("ij,jk->ik", a, b)
    u = torch.einsum(equation, a, b, c)
    t = np.einsum("i,i,i->i", v, v, v)
    s = torch.einsum("...ij,jk,k->i", a, b, v)
    r = torch.einsum("ij,jk,k->i", *operands)
    return x, y, z, w, u, t, s, r
