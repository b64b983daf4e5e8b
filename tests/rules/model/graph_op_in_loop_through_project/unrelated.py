from text import words


def count(documents):
    for document in documents:
        words(document)
