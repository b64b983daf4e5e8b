from huggingface_hub import HfFolder, Repository, whoami  # expect: DP301
from transformers.pytorch_utils import find_pruneable_heads_and_indices  # expect: DP301

found = find_pruneable_heads_and_indices, HfFolder, Repository, whoami
