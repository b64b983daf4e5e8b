from .modeling_bert import BertModel
from .optimization import AdamW
