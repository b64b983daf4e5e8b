from tensorflow import keras

DATA = keras.utils.image_dataset_from_directory("a", label_mode="categorical", image_size=(224, 224))


class Classifier:
    def __init__(self, classes):
        self.backbone = keras.applications.DenseNet121(include_top=False, pooling="avg")
        self.set_frozen(True)
        inputs = keras.Input((224, 224, 3))
        x = self.backbone(inputs, training=False)
        self.model = keras.Model(inputs, keras.layers.Dense(classes, activation="softmax")(x))
        self.compile(1e-2)

    def compile(self, lr):
        self.model.compile(optimizer=keras.optimizers.SGD(lr), loss="categorical_crossentropy")

    def set_frozen(self, frozen):
        for layer in self.backbone.layers:  # expect: DP913
            layer.trainable = not frozen

    def fine_tune(self, data):
        self.set_frozen(False)
        self.model.optimizer.learning_rate.assign(1e-4)
        return self.model.fit(data)


class Careful:
    def __init__(self, classes):
        self.base = keras.applications.DenseNet121(include_top=False, pooling="avg")
        self.base.trainable = False
        self.net = keras.Sequential([self.base, keras.layers.Dense(classes, activation="softmax")])

    def prepare(self, lr):
        self.net.compile(optimizer=keras.optimizers.SGD(lr), loss="categorical_crossentropy")

    def train(self, data):
        self.prepare(1e-2)
        self.net.fit(data)
        self.base.trainable = True
        self.prepare(1e-4)
        self.net.fit(data)


def freeze(part, n):
    for layer in part.layers[:n]:  # expect: DP913
        layer.trainable = False


def by_function():
    base = keras.applications.VGG16(include_top=False, pooling="avg")
    model = keras.Model(base.input, keras.layers.Dense(3, activation="softmax")(base.output))
    model.compile("adam", "categorical_crossentropy")
    freeze(base, 10)
    model.fit(DATA)


def thaw(model, base, data):
    base.trainable = True  # expect: DP913
    model.fit(data, epochs=10)


def in_two_phases():
    base = keras.applications.MobileNetV2(include_top=False, pooling="avg")
    base.trainable = False
    model = keras.Sequential([base, keras.layers.Dense(3, activation="softmax")])
    model.compile("adam", "categorical_crossentropy")
    model.fit(DATA)
    thaw(model, base, DATA)


def only_if_asked(fine_tune):
    base = keras.applications.MobileNetV2(include_top=False, pooling="avg")
    model = keras.Sequential([base, keras.layers.Dense(3, activation="softmax")])
    model.compile("adam", "categorical_crossentropy")
    if fine_tune:
        base.trainable = True
        model.compile("adam", "categorical_crossentropy")
    model.fit(DATA)


def in_another_branch(fine_tune):
    base = keras.applications.MobileNetV2(include_top=False, pooling="avg")
    model = keras.Sequential([base, keras.layers.Dense(3, activation="softmax")])
    model.compile("adam", "categorical_crossentropy")
    if fine_tune:
        base.trainable = True
        return model
    model.fit(DATA)
    return model


Classifier(3).fine_tune(DATA)
Careful(3).train(DATA)
