import tensorflow as tf

ds = tf.data.Dataset.range(100).map(lambda i: (tf.fill([4], tf.cast(i, tf.float32)), i % 3))
ds = ds.batch(8)
model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(3)])
model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(ds)
for xb, yb in ds.take(1):
    loss = tf.keras.losses.sparse_categorical_crossentropy(yb, model(xb), from_logits=True)
gen = tf.data.Dataset.from_generator(lambda: iter([]), output_signature=tf.TensorSpec((None, 4)))
model.predict(gen)
pairs = tf.data.Dataset.zip((ds, ds))
ragged = tf.data.Dataset.from_tensor_slices({"a": [1, 2, 3], "b": [[1.0], [2.0], [3.0]]}).padded_batch(2)
