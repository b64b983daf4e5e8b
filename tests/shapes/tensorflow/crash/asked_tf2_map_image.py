# ValueError: Input 0 of layer "model" is incompatible with the layer: expected shape=(None, 160, 160, 3), found shape=(None, 224, 224, 3)
import tensorflow as tf

IMG_SIZE = 160

def load(path, label):
    image = tf.io.read_file(path)
    image = tf.image.decode_jpeg(image, channels=3)
    image = tf.image.resize(image, (224, 224))  # fixed: image = tf.image.resize(image, (IMG_SIZE, IMG_SIZE))
    return image / 255.0, label

paths = tf.constant(['a.jpg', 'b.jpg'])
labels = tf.constant([0, 1])
ds = tf.data.Dataset.from_tensor_slices((paths, labels)).map(load).batch(2)
base = tf.keras.applications.MobileNetV2(input_shape=(IMG_SIZE, IMG_SIZE, 3), include_top=False, weights=None)
model = tf.keras.Sequential([base, tf.keras.layers.GlobalAveragePooling2D(), tf.keras.layers.Dense(1)])
model.compile(optimizer='adam', loss=tf.keras.losses.BinaryCrossentropy(from_logits=True))
model.fit(ds, epochs=1)  # expect: DP613 or DP601
