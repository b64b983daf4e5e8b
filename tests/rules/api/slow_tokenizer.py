import transformers
from transformers import AutoTokenizer, BertTokenizer, BertTokenizerFast, ByT5Tokenizer
from transformers.models.roberta.tokenization_roberta import RobertaTokenizer

by_class = BertTokenizer.from_pretrained("bert-base-uncased")  # hint: DP148
by_module = transformers.GPT2Tokenizer.from_pretrained("gpt2")  # hint: DP148
where_defined = RobertaTokenizer.from_pretrained("roberta-base")  # hint: DP148
asked_for = AutoTokenizer.from_pretrained("gpt2", use_fast=False)  # hint: DP148
SLOW = False
by_name = AutoTokenizer.from_pretrained("gpt2", use_fast=SLOW)  # hint: DP148


class Encoder:
    tokenizer_class = BertTokenizer

    def __init__(self, path):
        self.tokenizer = BertTokenizer.from_pretrained(path, do_lower_case=True)  # hint: DP148


def load(path, fast):
    fast_one = BertTokenizerFast.from_pretrained(path)
    automatic = AutoTokenizer.from_pretrained(path)
    explicit = AutoTokenizer.from_pretrained(path, use_fast=True)
    open_question = AutoTokenizer.from_pretrained(path, use_fast=fast)
    only_slow = ByT5Tokenizer.from_pretrained(path)  # there is no fast one
    return fast_one, automatic, explicit, open_question, only_slow
