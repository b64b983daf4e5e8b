def features(x):
    return {"image": tf.cast(x["image"], tf.float32), "label": x["label"]}
