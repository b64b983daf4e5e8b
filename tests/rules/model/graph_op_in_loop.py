import numpy as np
import tensorflow as tf


def nothing_varies(x, temperature, steps):
    outputs = []
    for i in range(steps):
        outputs.append(x[:, i] / tf.cast(temperature, tf.float32))  # expect: DP201
    while len(outputs) < steps:
        outputs.append(tf.eye(steps))  # expect: DP201
    return [tf.math.sqrt(x) * i for i in range(steps)]  # expect: DP201


def behind_an_inner_loop(x, rows):
    total = 0
    for row in rows:
        for value in row:
            total += value
        scale = tf.reduce_mean(x)  # expect: DP201
        total += scale * row
    return total


def chain_of_invariants(buffers, length, rows):
    updates = []
    for buffer in buffers:
        timestep = tf.gather(length, rows)  # expect: DP201
        indices = tf.stack([rows, timestep], 1)  # expect: DP201
        updates.append(tf.scatter_nd_update(buffer, indices, rows))  # hint: DP301
    return updates


def layers(x, sizes):
    for size in sizes:
        x = tf.nn.relu(tf.matmul(x, tf.ones([size, size])))
    weights = []
    for _ in range(len(sizes)):
        weights.append(tf.Variable(tf.zeros([10, 10])))
    h = x
    for _ in range(12):
        h = tf.nn.relu(h)
    return x, weights, h


def tiny(x):
    for _ in range(3):
        tf.square(x)
    for name in ("a", "b"):
        tf.square(x)
    for i, name in enumerate(["a", "b"]):
        tf.square(x)
    return [tf.square(x) for _ in range(2)]


def guarded(x, steps):
    mask = None
    for i in range(steps):
        if i == 0:
            mask = tf.sequence_mask(x)
        if mask is None:
            mask = tf.sequence_mask(x)
        if i % 100 == 0:
            print(tf.reduce_mean(x))  # expect: DP201
    return mask


def leaves_at_once(x, items):
    for item in items:
        tf.square(x)
        break


def random_each_time(steps):
    return sum(tf.random.normal([3]) for _ in range(steps))


def changes_in_place(items):
    values = []
    total = []
    for item in items:
        values.append(item)
        total.append(tf.stack(values))
        item.x = 3
        total.append(tf.square(item.x))
    array = np.zeros(3)
    for i in range(100):
        array[0] = i
        total.append(tf.convert_to_tensor(array))
    return total


@tf.function
def traced(x, n):
    for i in range(n):
        x += tf.reduce_sum(tf.ones([3]))
    return x


class Layer(tf.keras.layers.Layer):
    def call(self, x):
        for i in range(self.n):
            x += tf.reduce_sum(self.w)
        return x


def mapped(ds: tf.data.Dataset, table, n):
    def look(x):
        for _ in range(n):
            x += tf.reduce_sum(table)
        return x

    return ds.map(look, num_parallel_calls=8)


def tape(model, batches, x):
    for batch in batches:
        with tf.GradientTape() as t:
            loss = tf.reduce_mean(x)
        t.gradient(loss, model)


def session_loop(x, losses, variable, steps):
    with tf.Session() as sess:  # hint: DP301
        for step in range(steps):
            sess.run(tf.reduce_mean(losses))  # expect: DP201
            sess.run(tf.assign(variable, step))  # expect: DP201  # hint: DP301
            sess.run(variable.assign(step))  # expect: DP201
            sess.run(tf.global_variables_initializer())  # expect: DP201  # hint: DP301
            saver = tf.train.Saver()  # expect: DP201  # hint: DP301
            saver.save(sess, "x")
            sess.run(tf.no_op())  # expect: DP201
            if step % 100 == 0:
                sess.run(tf.square(x))  # expect: DP201


def session_parameter(sess, optimizer: tf.train.Optimizer, loss):  # hint: DP301
    while True:
        train = optimizer.minimize(loss)  # expect: DP201
        sess.run(train)


def session_used_well(x, steps):
    mean = tf.reduce_mean(x)
    with tf.Session() as sess:
        for step in range(steps):
            sess.run(mean)
        for _ in range(3):
            sess.run(tf.square(x))


def new_graph_each_turn(configs):
    for config in configs:
        with tf.Graph().as_default():
            y = tf.square(config)
            with tf.Session() as sess:
                sess.run(y)
    for config in configs:
        tf.reset_default_graph()  # hint: DP301
        y = tf.square(config)
        with tf.Session() as sess:
            sess.run(y)


def makes_loss(x):
    return tf.reduce_mean(tf.square(x))


def calls_makes_loss(x):
    return makes_loss(x)


def through_calls(x, batches, steps):
    results = []
    for i in range(steps):
        results.append(calls_makes_loss(x))  # expect: DP201
        results.append(calls_makes_loss(i))
    for batch in batches:
        results.append(makes_loss(batch))
    return results


def through_calls_in_a_session(x, steps):
    with tf.Session() as sess:
        for i in range(steps):
            loss = calls_makes_loss(i)  # expect: DP201
            sess.run(loss)


def features(names):
    return {name: tf.io.FixedLenFeature([], tf.string) for name in names}


def recursive(x, n):
    for i in range(n):
        recursive(x, i)
    return tf.square(x)


class Generator(tf.keras.layers.Layer):
    def decode(self, boxes, shape, low, high):
        out = []
        for i in range(low, high):
            out.append(boxes[i] - tf.expand_dims(shape, axis=1))
        return out

    def call(self, boxes, shape):
        return self.decode(boxes, shape, 3, 70)


def autograph(image, height, retries):
    for _ in tf.range(retries):
        image = image * tf.cast(height, tf.float32)
    return image


class Learner:
    def run(self, iterations=1):
        loss = self.train(tf.constant(iterations))
        return loss


def calls_with_effects(steps):
    learner = Learner()
    for _ in range(steps):
        learner.run(iterations=1)


def few_behind_a_name(x, swap):
    order = [0, 1] if swap else [1, 0]
    count = 5
    for i, d in enumerate(order):
        tf.square(x)
    for i in range(count):
        tf.square(x)


def depends_on_the_turn(metrics, x, n):
    out = []
    for metric in metrics:
        if metric.name == "auc":
            out.append(tf.square(x))
    for i in range(n):
        if i:
            y = tf.square(i)
        else:
            y = tf.square(x)
        out.append(y)
    return out


def starts_an_accumulation(z, dimensions, steps):
    out = []
    for i in range(dimensions):
        total = tf.zeros([3])
        for t in range(steps):
            total += z[t][:, i]
        out.append(total)
    return out


def leaves_with_it(shapes, x):
    for shape in shapes:
        if not shape:
            return tf.reduce_sum(x)
    return x


def eager_or_not(images):
    out = []
    for image in images:
        data = tf.image.encode_jpeg(image)
        if tf.executing_eagerly():
            data = data.numpy()
        else:
            data = data.eval()
        out.append(data)
    return out


class Cache:
    def add(self, key):
        if key in self.cache:
            return
        self.cache[key] = tf.placeholder(tf.float32)  # hint: DP301

    def run(self, sess, keys):
        for key in keys:
            self.add(key)
            sess.run(self.cache[key])


def beside_look_alikes(specs, rows):
    out = []
    for spec in specs:
        out.append(tf.eye(rows))  # expect: DP201
        out.append(tf.fill([2], spec))
    return out


def new_objects(n, size):
    def cell():
        return tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.LSTMCell(size), input_keep_prob=tf.to_float(size))  # hint: DP301

    return [cell() for _ in range(n)]


class State:
    def __init__(self):
        self.log_alpha = tf.Variable(0.0)
        self.scale = 3.0

    def update(self):
        self.log_alpha.assign_add(0.1)

    def variables_change(self, steps):
        for _ in range(steps):
            self.update()
            print(tf.exp(self.log_alpha), tf.exp(self.scale))  # expect: DP201

    def unknown_methods_change_us(self, steps):
        for _ in range(steps):
            self.collect()
            print(tf.reduce_mean(self.buffer))


step_counter = tf.Variable(0)
rows_seen = []


def count():
    rows_seen.append(1.0)


for batch in load_batches():
    train(batch)
    print(tf.cast(step_counter, tf.float32))
while len(rows_seen) < 1000:
    count()
    print(tf.reduce_mean(rows_seen))


def calls_change_what_they_get(fill, array, other, steps):
    for _ in range(steps):
        fill(array)
        print(tf.reduce_mean(array), tf.reduce_mean(other))  # expect: DP201


def training_changes(model, optimizer, batches):
    step = optimizer.iterations
    weights = model.trainable_variables
    for batch in batches:
        model.train_on_batch(batch)
        print(tf.sqrt(step), tf.linalg.global_norm(weights), tf.reduce_mean(model.kernel))


def guards_that_are_none(x, cap, best, flag, steps):
    with tf.Session() as sess:
        for n in range(steps):
            if n > cap:
                sess.run(tf.square(x))  # expect: DP201
            if n > 0:
                sess.run(tf.square(x))  # expect: DP201
            if flag is None:
                sess.run(tf.square(x))  # expect: DP201
            if not flag:
                sess.run(tf.square(x))  # expect: DP201
            loss = sess.run(x)
            if loss < best:
                best = loss
                sess.run(tf.square(x))  # expect: DP201
            if flag:
                pass
            else:
                sess.run(tf.square(x))  # expect: DP201


def guards(x, cache, steps):
    first = True
    done = False
    with tf.Session() as sess:
        for n in range(steps):
            if n == 5 or n == steps - 1:
                sess.run(tf.square(x))
            if n < 3:
                sess.run(tf.square(x))
            if first:
                first = False
                sess.run(tf.square(x))
            if n not in cache:
                cache[n] = tf.square(x)
            if done:
                done = False
                sess.run(tf.square(x))  # expect: DP201
            done = n % 5 == 0
            if n > 0:
                continue
            sess.run(tf.square(x))


class Built:
    def build(self):
        self.op = tf.square(3.0)

    def run(self, sess, steps):
        for _ in range(steps):
            if self.op is None:
                self.build()
            sess.run(self.op)


def summarise(sess, value, op, fed):
    if tf.is_tensor(value):
        return tf.identity(value)
    return sess.run(op, {fed: value})


def branches_for_other_types(sess, losses, op, fed, steps):
    for step in range(steps):
        summarise(sess, step, op, fed)
    return [tf.identity(summarise(sess, loss, op, fed)) for loss in losses]


def devices_and_scopes(a, b, places, steps):
    out = []
    for place in places:
        with tf.device(place):
            out.append(tf.matmul(a, b))
    for i in range(steps):
        with tf.variable_scope("layer_%d" % i):  # hint: DP301
            out.append(tf.matmul(a, b))  # hint: DP201
        with tf.device("/cpu:0"):
            out.append(tf.matmul(a, b))  # expect: DP201
    return out


OPTIONS = {"sizes": [1, 2, 3], "names": ["a", "b"]}


def few_turns(x, features, octaves=range(-2, 3)):
    out = []
    for f in features[3:5]:
        out.append(tf.matmul(x, x))
    for f in features[-2:]:
        out.append(tf.matmul(x, x))
    for octave in octaves:
        out.append(tf.matmul(x, x))
    for t in np.linspace(0, 1, 5):
        out.append(tf.matmul(x, x))
    for key in {"a": 1, "b": 2}.items():
        out.append(tf.matmul(x, x))
    for size in OPTIONS["sizes"]:
        out.append(tf.matmul(x, x))
    for f in features[3:500]:
        out.append(tf.matmul(x, x))  # expect: DP201
    items = [x]
    for f in features:
        items.append(f)
    for item in items:
        out.append(tf.matmul(x, x))  # expect: DP201
    return out


def light_work(x, rows, heads, n):
    for row in rows:
        use(row, tf.shape(x))  # hint: DP201
        use(row, tf.matmul(x, x))  # expect: DP201
    for i in range(len(rows)):
        use(i, tf.cast(x, tf.float32))  # hint: DP201
    for head in heads:
        use(head, tf.matmul(x, x))  # hint: DP201
    for i in range(n):
        use(i, tf.shape(x))  # expect: DP201


def test_something():
    with tf.Session() as sess:
        for i in range(1000):
            sess.run(tf.square(i))  # hint: DP201


def times_it(clock, a, b):
    for _ in range(1000):
        start = clock()
        tf.matmul(a, b)  # hint: DP201
        print(clock() - start)


def copies(sess, sources, targets):
    for source, target in zip(sources, targets):
        sess.run(target.assign(source))  # expect: DP201


def copies_often(sess, sources, targets, steps):
    for step in range(steps):
        copies(sess, sources, targets)


def operators(x, steps):
    y = tf.square(x)
    with tf.Session() as sess:
        for _ in range(steps):
            sess.run(y + 1)  # expect: DP201
            sess.run([y, y[0]])  # expect: DP201


def after_an_error(sess, iterator, steps):
    for _ in range(steps):
        try:
            sess.run(iterator)
        except tf.errors.OutOfRangeError:
            sess.run(tf.square(3.0))


def slices_and_reads(sess, occupied, points, variables, steps):
    for step in range(steps):
        sess.run(occupied[:, step], {points: step})  # expect: DP201
        sess.run(occupied[step])
    for name, variable in variables.items():
        print(name, sess.run(variable.value()))


def metrics(sess, batches, names):
    accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
    for labels, predictions in batches:
        sess.run(accuracy.update_state(labels, predictions))  # expect: DP201


def eager_metrics(labels, predictions, steps):
    accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
    for _ in range(steps):
        accuracy.update_state(labels, predictions)


def at_turns_of_a_list(sess, rate, decay, boundaries, steps):
    boundary = boundaries.pop()
    step = 0
    while step < steps:
        if step == boundary + 1:
            sess.run(tf.assign(rate, decay))
            boundary = boundaries.pop()
        sess.run(rate)
        step += 1


def at_turns_of_something_else(sess, rate, decay, boundary, steps):
    step = 0
    while step < steps:
        if step == boundary + 1:
            sess.run(tf.assign(rate, decay))  # expect: DP201
            boundary = step
        sess.run(rate)
        step += 1


def one_turn_by_default(shape, batch_size=None):
    out = []
    for i in range(batch_size or 1):
        out.append((i, tf.linalg.eye(shape)))
    return out


def only_another_shape(x, y, steps):
    out = []
    for i in range(steps):
        out.append(y[i] * tf.reshape(x, [-1, 1]))  # hint: DP201
        out.append(y[i] * tf.reshape(tf.sqrt(x), [-1, 1]))  # expect: DP201
    return out


def draws(x, steps, plt):
    for i in range(steps):
        plt.plot(tf.matmul(x, x)[i])  # hint: DP201



def as_many_as_the_literal_has(x):
    readings = [1.0, 2.0, 8.0, -1.0, 0.0, 5.5]
    for index in range(1, len(readings)):
        print(tf.matmul(x, x), readings[index])


def changed_by_a_function(x, data, steps):
    held = tf.Variable(x)
    for step in range(steps):
        tf.assign(held, data[step])
        print(tf.reduce_mean(held))


class Views:
    def __init__(self, augment):
        self.augment = augment

    def draw(self, x, count):
        return [tf.map_fn(self.augment, x) for _ in range(count)]


def behind_the_end(x, steps):
    raise NotImplementedError
    for step in range(steps):
        print(tf.matmul(x, x))


def few_by_name(x, num_layers):
    for layer in range(0, num_layers + 1):
        print(tf.matmul(x, x))  # hint: DP201


def once_per_epoch(train, iterator, epochs, count):
    for epoch in range(epochs):
        train(iterator, tf.cast(count, tf.int32))  # hint: DP201
    for step in range(epochs):
        train(iterator, tf.cast(count, tf.int32))  # expect: DP201
from elsewhere import load_batches
from elsewhere import use
