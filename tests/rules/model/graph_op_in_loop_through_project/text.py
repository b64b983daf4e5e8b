def words(document):
    return document.split()
