import unittest

import torch
from torch import nn


class TestLinear(unittest.TestCase):
    def test_wrong_size(self):
        with self.assertRaises(RuntimeError):
            nn.Linear(3, 2)(torch.zeros(1, 4))

    def test_wrong_view(self):
        self.assertRaises(RuntimeError, lambda: torch.zeros(6).view(4))


unittest.main(argv=["test"], exit=False)
