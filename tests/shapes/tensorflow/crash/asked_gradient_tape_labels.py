# ValueError: Shapes (64, 10) and (64, 1) are incompatible
import tensorflow as tf

(x, y), _ = tf.keras.datasets.cifar10.load_data()
x = x.astype('float32') / 255.0
ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(1000).batch(64, drop_remainder=True)
model = tf.keras.Sequential([
    tf.keras.layers.Conv2D(16, 3, activation='relu', input_shape=(32, 32, 3)),
    tf.keras.layers.Flatten(),
    tf.keras.layers.Dense(10)])
loss_fn = tf.keras.losses.CategoricalCrossentropy(from_logits=True)  # fixed: loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
opt = tf.keras.optimizers.Adam()

@tf.function
def train_step(images, labels):
    with tf.GradientTape() as tape:
        logits = model(images, training=True)
        loss = loss_fn(labels, logits)  # expect: DP605
    grads = tape.gradient(loss, model.trainable_variables)
    opt.apply_gradients(zip(grads, model.trainable_variables))
    return loss

for images, labels in ds:
    train_step(images, labels)
