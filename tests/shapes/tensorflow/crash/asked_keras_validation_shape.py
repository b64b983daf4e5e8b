# ValueError: expected flatten_1_input to have shape (28, 28) but got array with shape (784,)
import keras
(x_train, y_train), (x_test, y_test) = keras.datasets.fashion_mnist.load_data()
x_test = x_test.reshape(10000, 784)  # fixed:
model = keras.Sequential([
    keras.layers.Flatten(input_shape=(28, 28)),
    keras.layers.Dense(128, activation='relu'),
    keras.layers.Dense(10, activation='softmax')])
model.compile(optimizer='adam', loss='sparse_categorical_crossentropy', metrics=['accuracy'])
model.fit(x_train, y_train, epochs=1)
test_loss, test_acc = model.evaluate(x_test, y_test)  # expect: DP613
