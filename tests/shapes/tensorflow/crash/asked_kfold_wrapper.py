# ValueError: expected dense_1_input to have shape (8,) but got array with shape (60,)
import numpy
from keras.models import Sequential
from keras.layers import Dense
from keras.wrappers.scikit_learn import KerasClassifier
from sklearn.model_selection import StratifiedKFold

X = numpy.random.rand(208, 60)
Y = numpy.random.randint(0, 2, (208,))

def create_baseline():
    model = Sequential()
    model.add(Dense(60, input_dim=8, activation='relu'))  # fixed: model.add(Dense(60, input_dim=60, activation='relu'))
    model.add(Dense(1, activation='sigmoid'))
    model.compile(loss='binary_crossentropy', optimizer='adam', metrics=['accuracy'])
    return model

kfold = StratifiedKFold(n_splits=10, shuffle=True, random_state=7)
for train, test in kfold.split(X, Y):
    model = create_baseline()
    model.fit(X[train], Y[train], epochs=10, verbose=0)  # expect: DP613
    print(model.evaluate(X[test], Y[test]))
