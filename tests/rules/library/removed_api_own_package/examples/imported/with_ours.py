import ourlib
from huggingface_hub import HfFolder, Repository
from transformers.pytorch_utils import find_pruneable_heads_and_indices  # hint: DP301

found = find_pruneable_heads_and_indices, HfFolder, Repository, ourlib.WIDTH  # hint: DP302
