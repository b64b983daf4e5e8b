import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
def f(x):
    if tf.shape(x)[0] > 2:
        return tf.reduce_sum(x, axis=0)
    return tf.zeros([3])


def loss(y_true, y_pred):
    y_true = tf.cast(y_true, y_pred.dtype)
    d = y_true - y_pred
    return tf.reduce_mean(tf.where(tf.abs(d) < 1.0, 0.5 * d * d, tf.abs(d) - 0.5), axis=-1)


def iou(a, b):
    lt = tf.maximum(a[:, None, :2], b[:, :2])
    rb = tf.minimum(a[:, None, 2:], b[:, 2:])
    wh = tf.maximum(rb - lt, 0)
    inter = wh[..., 0] * wh[..., 1]
    area = lambda t: (t[:, 2] - t[:, 0]) * (t[:, 3] - t[:, 1])
    return inter / (area(a)[:, None] + area(b) - inter)


print(iou(tf.random.uniform((5, 4)), tf.random.uniform((7, 4))).shape)
v = tf.Variable([[1.0, 2.0]], shape=tf.TensorShape([None, 2]))
v.assign([[1.0, 2.0], [3.0, 4.0]])
acc = tf.Variable(0.0)
acc.assign_add(1)
t = tf.TensorArray(tf.float32, size=3)
e = tf.eye(3, batch_shape=[2]) @ tf.ones((2, 3, 1))
u = tf.linalg.matvec(tf.eye(3), tf.ones(3))
n = tf.norm(tf.ones((3, 3)), axis=1)
i = tf.math.top_k(tf.ones((2, 5)), k=2)
vals, idx = tf.math.top_k(tf.ones((2, 5)), k=2)
vals2 = i.values + i.indices[0, 0].numpy()
img = tf.io.decode_jpeg(tf.io.read_file("x.jpg"), channels=3)
img = tf.image.resize(img, (32, 32)) / 255.0
img = tf.image.resize(img, [64, 64])[tf.newaxis, ...]
mean, var = tf.nn.moments(img, axes=[1, 2])
