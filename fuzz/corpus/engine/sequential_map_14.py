def python_map(values, frame, pool):
    a = map(parse, values)
    b = values.map(parse)
    c = pd.Series(values).map(parse)
    e = frame["x"].map(parse)
    f = multiprocessing.Pool(4).map(parse, values)
    g = load_dataset("imdb").map(parse)
    h = pool.map(parse, values)
    return a, b, c, e, f, g, h, np.array(values), random.random()
