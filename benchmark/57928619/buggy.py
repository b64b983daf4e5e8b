import pandas as pd
import tensorflow as tf
import tensorflow_hub as hub

ROWS = 200

frame = pd.DataFrame({"text": [f"sentence number {i}" for i in range(ROWS)]})
embed = hub.Module("https://tfhub.dev/google/universal-sentence-encoder-large/3")
vectors = []
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    for text in frame["text"]:
        vectors.append(sess.run(embed([text])))

result = len(vectors)
