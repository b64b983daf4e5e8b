import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


def parse(path):
    return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path)), (224, 224))


def cheap(x):
    return tf.cast(x, tf.float32)


def fit_without(model, paths):
    ds = tf.data.Dataset.from_tensor_slices(paths)
    ds = ds.map(parse, num_parallel_calls=8)
    ds = ds.batch(32)  # expect: DP103
    model.fit(ds, epochs=3)


def loop_without(model, optimizer, paths, loss_fn):
    optimizer = tf.keras.optimizers.Adam()
    ds = tf.data.Dataset.from_tensor_slices(paths).map(parse, num_parallel_calls=8).batch(32)  # expect: DP103
    for step, batch in enumerate(ds):
        with tf.GradientTape() as tape:
            loss = loss_fn(model(batch))
        optimizer.apply_gradients(zip(tape.gradient(loss, model.weights), model.weights))


def fit_with(model, paths):
    ds = tf.data.Dataset.from_tensor_slices(paths).map(parse, num_parallel_calls=8).batch(32).prefetch(2)
    model.fit(ds)
    model.fit(ds.repeat())


def returned(paths):
    return tf.data.Dataset.from_tensor_slices(paths).map(parse, num_parallel_calls=8).batch(32)


def prefetches_what_it_gets(model, paths):
    model.fit(returned(paths).prefetch(1))


def cheap_work(model, x):
    ds = tf.data.Dataset.from_tensor_slices(x).batch(32).map(cheap, num_parallel_calls=8)
    model.fit(ds)


def cached(model, paths):
    ds = tf.data.Dataset.from_tensor_slices(paths).map(parse, num_parallel_calls=8).cache().batch(32)
    model.fit(ds)


def looks_at_one(model, paths):
    ds = tf.data.Dataset.from_tensor_slices(paths).map(parse, num_parallel_calls=8).batch(32)
    for batch in ds.take(1):
        print(batch)
    model.predict(ds.take(1))


def prints(paths):
    for batch in tf.data.Dataset.from_tensor_slices(paths).map(parse, num_parallel_calls=8).batch(32):
        print(batch.shape)


def some_branch(model, paths, flag):
    ds = tf.data.Dataset.from_tensor_slices(paths).map(parse, num_parallel_calls=8)
    if flag:
        ds = ds.prefetch(1)
    model.fit(ds)


def arrays(model, x):
    model.fit(x, batch_size=32)


def iterator(paths):
    ds = tf.data.Dataset.from_tensor_slices(paths).map(parse, num_parallel_calls=8)
    ds = ds.batch(8)  # expect: DP103
    return ds.make_one_shot_iterator().get_next()


def prefetched_iterator(paths):
    ds = tf.data.Dataset.from_tensor_slices(paths).map(parse, num_parallel_calls=8).batch(8).prefetch(1)
    return tf.data.make_one_shot_iterator(ds).get_next()
