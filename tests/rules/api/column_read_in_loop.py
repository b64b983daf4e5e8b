from datasets import load_dataset, load_from_disk

reviews = load_dataset("imdb", split="train")
for i in range(len(reviews)):
    print(reviews["text"][i])  # hint: DP158

both = load_dataset("imdb")
for i in range(1000):
    print(both["train"]["text"][i])  # hint: DP158


def rows(dataset):
    for i in range(len(dataset)):
        yield dataset["image"][i], dataset[i]["caption"]  # hint: DP158


def captions(dataset):
    return [dataset["caption"][i] for i in range(len(dataset))]  # hint: DP158


class Holder:
    def __init__(self):
        self.data = load_dataset("imdb", split="test")

    def show(self, indices):
        for index in indices:
            print(self.data["text"][index])  # hint: DP158


list(rows(load_from_disk("pictures")))
captions(load_from_disk("pictures"))

column = reviews["text"]
for i in range(len(column)):
    print(column[i])

for i in range(1000):
    print(both["train"][i])

for start in range(0, len(reviews), 16):
    batch = reviews[start : start + 16]
    for j in range(len(batch["text"])):
        print(batch["text"][j])

print(reviews["text"][0], [reviews["text"][:10] for _ in range(3)])
