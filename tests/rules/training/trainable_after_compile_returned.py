import keras


def build():
    base = keras.applications.ResNet50(include_top=False, pooling="avg")
    base.trainable = False
    model = keras.Sequential([base, keras.layers.Dense(5, activation="softmax")])
    model.compile("adam", "sparse_categorical_crossentropy")
    return base, model


def one(ds):
    base, model = build()
    model.fit(ds, epochs=3)
    base.trainable = True  # expect: DP913
    for layer in base.layers[:100]:
        layer.trainable = False
    model.fit(ds, epochs=3)


def unfreeze(model, n):
    for layer in model.layers[-n:]:  # expect: DP913
        layer.trainable = True


class FineTuner:
    def __init__(self):
        self.base, self.model = build()

    def warmup(self, ds):
        self.model.fit(ds, epochs=2)

    def finetune(self, ds):
        self.base.trainable = True  # expect: DP913
        self.model.fit(ds, epochs=5)

    def run(self, ds):
        self.warmup(ds)
        self.finetune(ds)


def three(ds):
    base, model = build()
    model.fit(ds, epochs=3)
    unfreeze(base, 20)
    model.fit(ds, epochs=3)


class Unfreeze(keras.callbacks.Callback):
    def __init__(self, base, at):
        super().__init__()
        self.base, self.at = base, at

    def on_epoch_begin(self, epoch, logs=None):
        if epoch == self.at:
            self.base.trainable = True  # expect: DP913


def four(ds):
    base, model = build()
    model.fit(ds, epochs=10, callbacks=[Unfreeze(base, 5)])


def five(ds):
    base, model = build()
    for stage in ("head", "all"):
        if stage == "all":
            base.trainable = True  # expect: DP913
        model.fit(ds, epochs=3)


def compiled_again(ds):
    base, model = build()
    model.fit(ds, epochs=3)
    unfreeze_first, model = base, again(model)
    base.trainable = True
    model = again(model)
    model.fit(ds, epochs=3)
    return unfreeze_first


def again(model):
    model.compile("sgd", "sparse_categorical_crossentropy")
    return model


class Recompiles(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        if epoch == 3:
            self.model.trainable = True
            self.model.compile("sgd", "mse")


class Plain:
    def on_epoch_begin(self, layer):
        layer.trainable = False
