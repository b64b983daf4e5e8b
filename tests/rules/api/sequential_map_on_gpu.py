import tensorflow as tf

model = tf.keras.applications.VGG19()


def encode(image):
    with tf.device("GPU:0"):
        return model(image[tf.newaxis])


def encode_on_host(image):
    with tf.device("/cpu:0"):
        return model(image[tf.newaxis])


def load(images):
    dataset = tf.data.Dataset.from_tensor_slices(images)
    dataset = dataset.map(encode)  # hint: DP101
    return dataset.map(encode_on_host)  # expect: DP101
