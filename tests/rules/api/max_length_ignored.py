from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")


def encode(texts):
    a = tokenizer(texts, padding=True, max_length=256, return_tensors="pt")  # expect: DP199
    b = tokenizer(texts, padding="longest", max_length=256)  # expect: DP199
    c = tokenizer(texts, padding="max_length", max_length=256)  # hint: DP199
    # silent
    d = tokenizer(texts, padding=True, max_length=256, truncation=True)
    e = tokenizer(texts, max_length=256)
    f = tokenizer(texts, padding=True)
    h = tokenizer(texts, padding=True, max_length=256, truncation=False)
    g = tokenizer(texts, padding=True, max_length=None)
    return a, b, c, d, e, f, g, h


def forward(texts, **options):
    return tokenizer(texts, padding=True, max_length=256, **options)
