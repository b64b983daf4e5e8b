from datasets import load_dataset
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer, losses
from sentence_transformers.evaluation import BinaryClassificationEvaluator


def read(path):
    pairs = load_dataset("csv", data_files=path, split="train")
    pairs = pairs.filter(lambda row: bool(row["question1"]))
    pairs = pairs.rename_column("same", "label")
    return pairs.select_columns(["question1", "question2", "label"])


def make_loss(model):
    return losses.MultipleNegativesRankingLoss(model)  # expect: DP976


def main():
    model = SentenceTransformer("all-MiniLM-L6-v2")
    splits = read("pairs.csv").train_test_split(test_size=0.1, seed=1)
    held = splits["test"]
    evaluator = BinaryClassificationEvaluator(list(held["question1"]), list(held["question2"]), list(held["label"]))
    trainer = SentenceTransformerTrainer(
        model=model, train_dataset=splits["train"], loss=make_loss(model), evaluator=evaluator
    )
    trainer.train()
