# keras: ValueError: Incompatible input shapes: axis values 64 (at axis 1) != 32 (at axis 1)
from keras.layers import Input, Embedding, Flatten, Dot, Dense
from keras.models import Model

n_users, n_movies = 1000, 1700
user_input = Input(shape=(1,))
user_vec = Flatten()(Embedding(n_users, 64)(user_input))
movie_input = Input(shape=(1,))
movie_vec = Flatten()(Embedding(n_movies, 32)(movie_input))  # fixed: movie_vec = Flatten()(Embedding(n_movies, 64)(movie_input))
score = Dot(axes=1)([user_vec, movie_vec])  # expect: DP602
model = Model([user_input, movie_input], score)
model.compile('adam', 'mean_squared_error')
