import pandas as pd
import tensorflow as tf
import tensorflow_hub as hub

ROWS = 200

frame = pd.DataFrame({"text": [f"sentence number {i}" for i in range(ROWS)]})
embed = hub.Module("https://tfhub.dev/google/universal-sentence-encoder-large/3")
texts = tf.placeholder(tf.string, [None])
embedded = embed(texts)
vectors = []
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    for start in range(0, ROWS, 50):
        vectors.extend(sess.run(embedded, {texts: frame["text"][start:start + 50]}))

result = len(vectors)
