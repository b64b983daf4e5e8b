import numpy as np
import torch


def view_matrix(rotation, translation):
    view = np.zeros((4, 4))
    view[:3, :3] = rotation.transpose()
    view[:3, 3] = translation
    return np.float32(np.linalg.inv(view + np.eye(4)))


matrix = torch.tensor(view_matrix(np.eye(3), np.ones(3))).transpose(0, 1)
assert matrix.shape == (4, 4)
assert matrix.dtype == torch.float32
