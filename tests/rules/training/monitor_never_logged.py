from tensorflow import keras
from tensorflow.keras.callbacks import EarlyStopping, ModelCheckpoint, ReduceLROnPlateau, TensorBoard

CALLBACKS = [TensorBoard("logs"), ModelCheckpoint("best.keras", save_best_only=True)]


def never(model: keras.Model, x, y, dataset):
    model.fit(x, y, callbacks=[EarlyStopping(patience=3)])  # expect: DP916
    stop = EarlyStopping(monitor="val_accuracy", patience=3)
    model.fit(dataset, epochs=50, callbacks=[stop])  # expect: DP916
    model.fit(dataset, epochs=50, callbacks=CALLBACKS)  # expect: DP916
    model.fit(x, y, callbacks=[keras.callbacks.ReduceLROnPlateau("val_loss", patience=2)])  # expect: DP916


def fine(model: keras.Model, x, y, dataset, options):
    model.fit(x, y, validation_split=0.1, callbacks=[EarlyStopping(patience=3)])
    model.fit(dataset, validation_data=dataset, callbacks=[ReduceLROnPlateau(patience=2)])
    model.fit(x, y, callbacks=[EarlyStopping(monitor="loss", patience=3)])
    model.fit(x, y, callbacks=[ModelCheckpoint("all.keras")])
    model.fit(x, y, callbacks=[EarlyStopping(patience=3)], **options)
    model.fit(x, y, callbacks=options)
    model.fit(x, y, callbacks=[TensorBoard("logs")])


def several(model: keras.Model, x, y):
    callbacks = [EarlyStopping(patience=3)]
    model.fit(x, y, validation_split=0.1, callbacks=callbacks)
    callbacks = [TensorBoard("logs")]
    model.fit(x, y, callbacks=callbacks)
