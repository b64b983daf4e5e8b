# split() is the class's own method, and not that of a pattern.
import re

import torch


class Vocabulary:
    def __init__(self, texts):
        self.words = []
        for text in texts:
            for word in self.split(text):
                self.words.append(word)

    def split(self, text):
        return re.findall(r"\w+", text.lower())


def main(texts):
    vocabulary = Vocabulary(texts)
    return torch.nn.EmbeddingBag(len(vocabulary.words), 64)
