from tensorflow import keras

LOSS = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
base = keras.applications.VGG16(include_top=False, pooling="avg")
model = keras.Sequential([base, keras.layers.Dense(10)])
model.compile("adam", LOSS)
base.trainable = False  # expect: DP913
model.fit(keras.utils.image_dataset_from_directory("a"), epochs=5)


def unfreeze(dataset):
    body = keras.applications.VGG16(include_top=False, pooling="avg")
    body.trainable = False
    inputs = keras.Input((224, 224, 3))
    net = keras.Model(inputs, keras.layers.Dense(10)(body(inputs)))
    net.compile("adam", LOSS)
    net.fit(dataset)
    for layer in body.layers[-4:]:  # expect: DP913
        layer.trainable = True
    history = net.fit(dataset, epochs=5)
    return history


def itself(dataset):
    net = keras.Sequential([keras.layers.Dense(8), keras.layers.Dense(2)])
    net.compile("adam", LOSS)
    net.layers[0].trainable = False  # expect: DP913
    net.fit(dataset)


def compiled_again(dataset):
    body = keras.applications.VGG16(include_top=False, pooling="avg")
    net = keras.Sequential([body, keras.layers.Dense(10)])
    net.compile("adam", LOSS)
    net.fit(dataset)
    body.trainable = False
    net.compile("adam", LOSS)
    net.fit(dataset)


def by_helper(dataset, prepare):
    body = keras.applications.VGG16(include_top=False, pooling="avg")
    net = keras.Sequential([body, keras.layers.Dense(10)])
    net.compile("adam", LOSS)
    body.trainable = False
    prepare(net)
    net.fit(dataset)


def gan(dataset):
    critic = keras.Sequential([keras.layers.Dense(1, activation="sigmoid")])
    critic.compile("adam", "binary_crossentropy")
    critic.trainable = False
    inputs = keras.Input((8,))
    both = keras.Model(inputs, critic(inputs))
    both.compile("adam", "binary_crossentropy")
    return both, critic
