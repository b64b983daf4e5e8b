# DP812
import torch
from torch.nn import Linear, Module


class Other(Module):
	def __init__(self):
		super(Other, self).__init__()


class Net(Module):
	def __init__(self):
		self.layer = Linear(2, 1)


try:
	torch.manual_seed(0)
	print(Net().layer(torch.ones(2)))
except AttributeError as error:
	print("fails", error)
