# ValueError: Dimensions must be equal, but are 64 and 128
import tensorflow as tf

vocab, emb, hidden = 1000, 64, 128
tokens = tf.placeholder(tf.int32, [None, 25])
embedding = tf.get_variable('emb', [vocab, emb])
inputs = tf.nn.embedding_lookup(embedding, tokens)
w = tf.get_variable('w', [hidden, 2])
last = inputs[:, -1, :]
logits = tf.matmul(last, w)  # expect: DP602 # fixed: logits = tf.matmul(tf.layers.dense(last, hidden), w)
