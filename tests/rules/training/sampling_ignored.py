from transformers import AutoModelForCausalLM, GenerationConfig

model = AutoModelForCausalLM.from_pretrained("gpt2").eval()


def configs(sample, options):
    a = GenerationConfig(temperature=0.7, max_new_tokens=100)  # expect: DP887
    b = GenerationConfig(do_sample=True, temperature=0.7)
    c = GenerationConfig(do_sample=False, top_p=0.9)  # expect: DP887
    d = GenerationConfig(temperature=1.0)
    e = GenerationConfig(do_sample=sample, temperature=0.2)
    f = GenerationConfig(temperature=0.2, **options)  # hint: DP887
    return a, b, c, d, e, f


def texts(ids):
    a = model.generate(ids, temperature=0.7, max_new_tokens=10)  # hint: DP887
    b = model.generate(ids, do_sample=False, top_k=10)  # expect: DP887
    c = model.generate(ids, do_sample=True, top_k=10)
    return a, b, c


# Callers choose, though all of these choose the same.
def generated(ids, do_sample=False, top_p=0.9):
    return model.generate(ids, do_sample=do_sample, top_p=top_p)


first = generated([1], do_sample=False)
