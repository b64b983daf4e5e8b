from tensorflow import keras


def fires(batches, x):
    model = keras.Sequential([keras.layers.Dense(1)])
    model.fit_generator(batches)  # expect: DP304
    model.predict_classes(x)  # expect: DP304
    return model.predict_generator(batches)  # expect: DP304


def silent(batches, classifier):
    model = keras.Sequential([keras.layers.Dense(1)])
    model.fit(batches)
    return classifier.predict_proba(batches)
