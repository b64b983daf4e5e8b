import tensorflow as tf
import torch.nn.functional as F
ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(1000).map(lambda a, b: (a / 255., b), num_parallel_calls=tf.data.AUTOTUNE).batch(32)
for epoch in range(10):
    for i, (inputs, labels) in enumerate(loader, 0):
        optimizer.zero_grad(); loss = criterion(net(inputs), labels); loss.backward()
        running_loss += loss.item()
        print('[%d, %5d] loss: %.3f' % (epoch + 1, i + 1, running_loss / 2000))
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess: sess.run([a, b], feed_dict={x: y})
