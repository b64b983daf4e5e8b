from transformers import AutoModelForSequenceClassification, BertTokenizerFast

BASE = "roberta-base"


class Scorer:
    def __init__(self):
        self.tokenizer = BertTokenizerFast.from_pretrained("bert-base-uncased")
        self.model = AutoModelForSequenceClassification.from_pretrained(BASE, num_labels=2)  # expect: DP905
