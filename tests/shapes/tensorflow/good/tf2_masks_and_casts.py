import tensorflow as tf


def masked_mean(values, mask):
    mask = tf.cast(mask, values.dtype)
    total = tf.reduce_sum(values * mask[..., tf.newaxis], axis=1)
    return total / tf.maximum(tf.reduce_sum(mask, axis=1, keepdims=True), 1.0)


values = tf.random.normal([4, 7, 16])
mask = tf.sequence_mask([3, 7, 1, 5], maxlen=7)
print(masked_mean(values, mask).shape)
lengths = tf.reduce_sum(tf.cast(mask, tf.int32), axis=1)
picked = tf.gather(values, lengths - 1, axis=1, batch_dims=1)
where = tf.where(lengths > 2, 1.0, 0.0)
