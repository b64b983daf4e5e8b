def derived(inputs):
    outputs = inputs.map(parse)
    outputs = outputs.batch(4).prefetch(1)
    return outputs
