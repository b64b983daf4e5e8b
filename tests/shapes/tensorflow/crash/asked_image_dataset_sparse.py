# ValueError: Shapes (None, 1) and (None, 6) are incompatible
import tensorflow as tf
train_ds = tf.keras.preprocessing.image_dataset_from_directory('imgs', image_size=(180, 180), batch_size=32)
model = tf.keras.Sequential([
    tf.keras.layers.Rescaling(1./255, input_shape=(180, 180, 3)),
    tf.keras.layers.Conv2D(16, 3, padding='same', activation='relu'),
    tf.keras.layers.MaxPooling2D(),
    tf.keras.layers.Flatten(),
    tf.keras.layers.Dense(6, activation='softmax')])
model.compile(optimizer='adam', loss='categorical_crossentropy')  # fixed: model.compile(optimizer='adam', loss='sparse_categorical_crossentropy')
AUTOTUNE = tf.data.AUTOTUNE
train_ds = train_ds.cache().shuffle(1000).prefetch(buffer_size=AUTOTUNE)
model.fit(train_ds, epochs=3)  # expect: DP605
