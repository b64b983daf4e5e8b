def changes_in_place(items):
    values = []
    total = []
    for item in items:
        values.append(item)
        total.append(tf.stack(values))
        item.x = 3
        total.append(tf.square(item.x))
    array = np.zeros(3)
    for i in range(100):
        array[0] = i
        total.append(tf.convert_to_tensor(array))
    return total
