# keras: InvalidArgumentError: logits and labels must have the same first dimension, got logits shape [32,10] and labels shape [320]
from keras.datasets import mnist
from keras.models import Sequential
from keras.layers import Dense, Flatten
from keras.utils import to_categorical

(x_train, y_train), _ = mnist.load_data()
y_train = to_categorical(y_train)

model = Sequential()
model.add(Flatten(input_shape=(28, 28)))
model.add(Dense(128, activation='relu'))
model.add(Dense(10, activation='softmax'))
model.compile(optimizer='sgd', loss='sparse_categorical_crossentropy', metrics=['accuracy'])  # or here  # fixed: model.compile(optimizer='sgd', loss='categorical_crossentropy', metrics=['accuracy'])
model.fit(x_train, y_train, epochs=5)  # expect: DP605
