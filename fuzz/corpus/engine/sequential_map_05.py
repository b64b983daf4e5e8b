def other_names(paths):
    a = d.Dataset.from_tensor_slices(paths).map(parse)
    ds_map = a.map
    b = ds_map(parse)
    return b.map_with_legacy_function(parse)
