from tensorflow import keras


def fires(batches, x):
    model = keras.Sequential([keras.layers.Dense(1)])
    model.fit_generator(batches)
    model.predict_classes(x)
    return model.predict_generator(batches)


def silent(batches, classifier):
    model = keras.Sequential([keras.layers.Dense(1)])
    model.fit(batches)
    return classifier.predict_proba(batches)
