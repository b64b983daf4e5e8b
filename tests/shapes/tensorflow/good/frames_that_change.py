# Columns that are added, removed and renamed before the data meets the model.
import numpy as np
import pandas as pd
from sklearn.model_selection import KFold, train_test_split
from sklearn.preprocessing import LabelBinarizer, LabelEncoder, StandardScaler
from tensorflow import keras

df = pd.read_csv("data.csv")
part = df[["a", "b"]].copy()
part["c"] = part["a"] * part["b"]
part.insert(0, "d", df.a)
label = part.pop("b")
net = keras.Sequential([keras.layers.Dense(8, input_shape=(3,)), keras.layers.Dense(1)])
net.compile("adam", "mse")
net.fit(part.values, label.values)
net.fit(part, label)

other = df[["a", "b", "c", "d"]]
del other["d"]
net.fit(other, df["label"])
wide = pd.concat([df[["a"]], pd.get_dummies(df["kind"])], axis=1)
net.fit(wide.values, label)
net.fit(df.drop(columns=["label"]), df.label)
net.fit(df.iloc[:, :-1], df.iloc[:, -1])
X_train, X_test, y_train, y_test = train_test_split(df.drop("label", axis=1), df["label"])
scaler = StandardScaler().fit(X_train)
net.fit(scaler.transform(X_train), y_train, validation_data=(scaler.transform(X_test), y_test))

classes = keras.Sequential([keras.layers.Dense(3, activation="softmax", input_shape=(X_train.shape[1],))])
classes.compile("adam", "categorical_crossentropy")
classes.fit(X_train, pd.get_dummies(y_train))
classes.fit(X_train, LabelBinarizer().fit_transform(y_train))
classes.fit(X_train, keras.utils.to_categorical(LabelEncoder().fit_transform(y_train)))
X = df.values[:, :3]
y = df.values[:, 3]
for train, test in KFold(5).split(X, y):
    net.fit(X[train], y[train])
mask = df["a"] > 3
net.fit(df[mask][["a", "b", "c"]], df.loc[mask, "label"])
net.fit(df.loc[:, "a":"c"], df["label"])
series = df["a"].values
windows = np.array([series[i:i + 3] for i in range(len(series) - 3)])
net.fit(windows, series[3:])
