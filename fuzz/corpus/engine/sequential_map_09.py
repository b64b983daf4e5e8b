def from_libraries(folder):
    train = tfds.load("mnist", split="train")
    train = train.map(parse)
    (a, b), info = tfds.load("mnist", split=["train", "test"], with_info=True)
    a = a.map(parse)
    images = tf.keras.utils.image_dataset_from_directory(folder)
    images = images.map(lambda x, y: (tf.image.random_flip_left_right(x), y))
    parts = tfds.load("mnist")
    return parts["train"].map(parse), images, train, b, info
