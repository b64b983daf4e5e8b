from transformers import AutoModelForSeq2SeqLM, TrainerCallback


class Often(TrainerCallback):
    def __init__(self, trainer):
        self.trainer = trainer

    def on_step_end(self, args, state, control, **kwargs):
        self.trainer.evaluate()  # expect: DP422

    def on_epoch_end(self, args, state, control, **kwargs):
        self.trainer.evaluate()


def train(loader, optimizer, examples, tokenizer):
    model = AutoModelForSeq2SeqLM.from_pretrained("t5-small")
    for step, batch in enumerate(loader):
        loss = model(**batch).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.generate(**examples, max_new_tokens=32)  # expect: DP422
        model.generate(**batch, max_new_tokens=32)
        if step % 500 == 0:
            model.generate(**examples, max_new_tokens=32)
