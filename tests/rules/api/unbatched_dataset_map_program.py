from datasets import load_dataset
from transformers import AutoTokenizer, DataCollatorForSeq2Seq, Seq2SeqTrainer, Seq2SeqTrainingArguments, AutoModelForSeq2SeqLM

PREFIX = "summarize: "


class Preprocess:
    def __init__(self, tok):
        self.tok = tok

    def __call__(self, row):
        enc = self.tok(PREFIX + row["article"], truncation=True, max_length=1024)
        enc["labels"] = self.tok(text_target=row["highlights"], truncation=True, max_length=128)["input_ids"]
        return enc


def main():
    tok = AutoTokenizer.from_pretrained("t5-small")
    raw = load_dataset("cnn_dailymail", "3.0.0")
    data = raw.map(Preprocess(tok), remove_columns=raw["train"].column_names)  # expect: DP142
    model = AutoModelForSeq2SeqLM.from_pretrained("t5-small")
    args = Seq2SeqTrainingArguments("out", per_device_train_batch_size=16, bf16=True, predict_with_generate=True, dataloader_num_workers=4)
    Seq2SeqTrainer(model, args, train_dataset=data["train"], eval_dataset=data["validation"], data_collator=DataCollatorForSeq2Seq(tok, model)).train()


main()
