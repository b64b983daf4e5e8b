from tensorflow import keras


def act(states, model_path):
    model = keras.models.load_model(model_path)
    results = []
    for state in states:
        results.append(model.predict(state))  # hint: DP109
    return results, model.predict(states)
