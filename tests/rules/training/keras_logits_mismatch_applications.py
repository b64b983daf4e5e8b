from tensorflow import keras


def softmax_twice(classes):
    model = keras.applications.EfficientNetB0(weights=None, classes=classes)
    model.compile("adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))  # expect: DP820
    return model


def criterion():
    return keras.losses.CategoricalCrossentropy(from_logits=True)


class Trainer:
    def __init__(self, classes):
        self.net = self.network(classes)
        self.net.compile("adam", loss=criterion())  # expect: DP820

    def network(self, classes):
        return keras.applications.ResNet50(weights=None, classes=classes, classifier_activation="softmax")


def logits(classes):
    model = keras.applications.ResNet50(weights=None, classes=classes, classifier_activation=None)
    model.compile("adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


def probabilities(classes):
    model = keras.applications.ResNet50(weights=None, classes=classes)
    model.compile("adam", loss="sparse_categorical_crossentropy")
    return model


def features(top):
    base = keras.applications.ResNet50(include_top=False, pooling="avg")
    model = keras.Sequential([base, keras.layers.Dense(10)])
    model.compile("adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    other = keras.applications.ResNet50(include_top=top)
    other.compile("adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model, other
