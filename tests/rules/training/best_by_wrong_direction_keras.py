from tensorflow import keras

best_error = keras.callbacks.ModelCheckpoint("a.keras", monitor="val_mae", mode="max", save_best_only=True)  # expect: DP903
stop = keras.callbacks.EarlyStopping(monitor="val_accuracy", mode="min", patience=4)  # expect: DP903
slower = keras.callbacks.ReduceLROnPlateau("val_loss", mode="max")  # expect: DP903
best = keras.callbacks.ModelCheckpoint("b.keras", monitor="val_auc", mode="max", save_best_only=True)
later = keras.callbacks.EarlyStopping(monitor="val_loss", mode="min")
own = keras.callbacks.EarlyStopping(monitor="val_score", mode="max")
automatic = keras.callbacks.EarlyStopping(monitor="val_accuracy", mode="auto")
