def in_containers(paths):
    parts = [tf.data.TFRecordDataset(path) for path in paths]
    a = [part.map(parse) for i, part in enumerate(parts)]
    for part in parts:
        a.append(part.map(parse))
    return a
