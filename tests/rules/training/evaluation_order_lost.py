import numpy as np
from sklearn.metrics import classification_report, confusion_matrix
from tensorflow import keras
from tensorflow.keras.preprocessing.image import ImageDataGenerator

OPTIONS = dict(target_size=(224, 224), batch_size=32, class_mode="categorical")
plain = ImageDataGenerator(rescale=1 / 255.0)


def generator(root):
    return plain.flow_from_directory(root, target_size=(64, 64), class_mode="categorical")  # expect: DP947


def report(model: keras.Model):
    test = generator("test")
    predicted = model.predict(test)
    print(classification_report(test.classes, np.argmax(predicted, 1)))


def with_options(model):
    test = plain.flow_from_directory("test", **OPTIONS)  # expect: DP947
    scores = model.predict(test, verbose=1)
    truth = test.classes
    return confusion_matrix(truth, scores.argmax(axis=1))


class Evaluation:
    def __init__(self):
        self.test = keras.utils.image_dataset_from_directory("test", batch_size=32)  # expect: DP947
        self.model = keras.models.load_model("model.keras")

    def matrix(self):
        predicted = np.argmax(self.model.predict(self.test), axis=1)
        labels = np.concatenate([y for x, y in self.test])
        return confusion_matrix(labels, predicted)


def in_order(model):
    test = plain.flow_from_directory("test", shuffle=False, **OPTIONS)
    return classification_report(test.classes, model.predict(test).argmax(axis=1))


def in_one_pass(model: keras.Model):
    test = keras.utils.image_dataset_from_directory("test", batch_size=32)
    labels, predicted = [], []
    for x, y in test:
        labels.append(y)
        predicted.append(model(x, training=False))
    return labels, predicted


def only_predictions(model):
    test = plain.flow_from_directory("test", **OPTIONS)
    return model.predict(test).mean(axis=0)


def of_others(model):
    train = plain.flow_from_directory("train", **OPTIONS)
    test = plain.flow_from_directory("test", shuffle=False, **OPTIONS)
    weights = np.bincount(train.classes)
    return weights, model.predict(test)
