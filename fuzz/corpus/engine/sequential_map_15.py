def narrowed(images, other):
    if isinstance(images, tf.data.Dataset):
        images = images.map(parse)
    if not isinstance(other, tf.data.Dataset):
        return other.map(parse)
    return other.map(parse)
