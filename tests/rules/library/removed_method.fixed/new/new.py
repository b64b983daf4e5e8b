from tensorflow import keras


def fires(batches, x):
    model = keras.Sequential([keras.layers.Dense(1)])
    model.fit(batches)  # expect: DP304
    model.predict_classes(x)  # expect: DP304
    return model.predict(batches, verbose=0)  # expect: DP304


def silent(batches, classifier):
    model = keras.Sequential([keras.layers.Dense(1)])
    model.fit(batches)
    return classifier.predict_proba(batches)
