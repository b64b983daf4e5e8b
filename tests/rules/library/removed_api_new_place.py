import transformers
import transformers.modeling_utils as utilities
from transformers import modeling_utils
from transformers.modeling_utils import Conv1D as OldConv1D  # expect: DP301
from transformers.modeling_utils import PoolerEndLogits, SQuADHead  # expect: DP301
from transformers.pytorch_utils import Conv1D

old = utilities.SequenceSummary  # as line 5
older = modeling_utils.SequenceSummary  # as line 5
new = transformers.pytorch_utils.Conv1D(4, 2)
layers = (Conv1D, OldConv1D, SQuADHead, PoolerEndLogits)
