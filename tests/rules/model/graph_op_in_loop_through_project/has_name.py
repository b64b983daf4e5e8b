from more_names import tf
