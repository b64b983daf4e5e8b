import torch


@torch.inference_mode()
def answer(model, tokenizer, ids):
    output = model.generate(input_ids=ids, return_dict_in_generate=True, output_scores=True, max_new_tokens=9)  # expect: DP191
    return tokenizer.decode(output.sequences[0])


@torch.inference_mode()
def attend(model, tokenizer, ids):
    output = model.generate(ids, return_dict_in_generate=True, output_attentions=True, max_new_tokens=9)
    return tokenizer.decode(output.sequences[0]), output.attentions


@torch.inference_mode()
def plain(model, ids):
    return model.generate(ids, max_new_tokens=9)


@torch.inference_mode()
def handed(model, ids):
    return model.generate(ids, return_dict_in_generate=True, output_scores=True, max_new_tokens=9)
