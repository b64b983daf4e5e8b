import numpy as np
import tensorflow as tf
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler


def standardize(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


def per_example(x):
    return x - x.mean(axis=1, keepdims=True)


def by_function():
    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.california_housing.load_data()
    x_train = standardize(x_train)
    x_test = standardize(x_test)  # expect: DP978
    return x_train, y_train, x_test, y_test


def by_scaler(table, target):
    train, test, y_train, y_test = train_test_split(table, target, random_state=0)
    train = StandardScaler().fit_transform(train)
    test = StandardScaler().fit_transform(test)  # expect: DP978
    return train, test, y_train, y_test


def by_training_data(table, target):
    train, test, y_train, y_test = train_test_split(table, target, random_state=0)
    scaler = StandardScaler()
    train = scaler.fit_transform(train)
    test = scaler.transform(test)
    return train, test, y_train, y_test


def by_example():
    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.california_housing.load_data()
    return per_example(x_train), per_example(x_test), y_train, y_test


def by_mean():
    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.california_housing.load_data()
    mean = np.mean(x_train, axis=0)
    return x_train - mean, x_test - mean, y_train, y_test
