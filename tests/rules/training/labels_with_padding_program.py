from datasets import load_dataset
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, Seq2SeqTrainer, Seq2SeqTrainingArguments, default_data_collator

tok = AutoTokenizer.from_pretrained("t5-small")


def prepare(batch):
    enc = tok(batch["en"], padding=True, truncation=True)
    with_labels = tok(text_target=batch["de"], padding="longest", truncation=True)
    enc["labels"] = with_labels["input_ids"]  # expect: DP841
    return enc


def main():
    ds = load_dataset("opus", "de-en").map(prepare, batched=True, num_proc=4)
    model = AutoModelForSeq2SeqLM.from_pretrained("t5-small")
    args = Seq2SeqTrainingArguments("out", bf16=True, dataloader_num_workers=4)
    Seq2SeqTrainer(model, args, train_dataset=ds["train"], data_collator=default_data_collator).train()


if __name__ == "__main__":
    main()
