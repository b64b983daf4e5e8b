import torch
from tokenizers import Tokenizer, models, processors, trainers

SPECIALS = ["[UNK]", "[CLS]", "[SEP]", "[PAD]"]


class Text:
    def __init__(self, texts, size=8000):
        self.tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
        trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=SPECIALS)
        self.tokenizer.train_from_iterator(texts, trainer)
        self.tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
        )
        self.tokenizer.enable_padding()  # expect: DP432

    def encode(self, texts):
        return torch.tensor([one.ids for one in self.tokenizer.encode_batch(texts)])

    def pad_with_text(self):
        self.tokenizer.enable_padding(pad_token="[PAD]", length=128)  # expect: DP432

    def pad_with_number(self):
        self.tokenizer.enable_padding(pad_id=1, pad_token="[PAD]")  # expect: DP432

    def pad_with_position(self):
        self.tokenizer.enable_padding("right", 0)  # expect: DP432

    def right(self, number):
        self.tokenizer.enable_padding(pad_id=self.tokenizer.token_to_id("[PAD]"), pad_token="[PAD]")
        self.tokenizer.enable_padding(pad_id=3)
        self.tokenizer.enable_padding(pad_id=SPECIALS.index("[PAD]"))
        self.tokenizer.enable_padding(pad_id=number)
        self.tokenizer.enable_padding(pad_id=0, pad_token="[UNK]")
        self.tokenizer.enable_padding(pad_id=0, pad_token="<other>")
