import gym
import networkx as nx
import pandas as pd
import torch
from gensim.models import KeyedVectors, Word2Vec
from PIL import Image, ImageDraw, ImageFont
from sklearn.feature_extraction.text import CountVectorizer

model = torch.nn.Linear(2, 2)


def tables(path, extra):
    rows = pd.read_csv(path)
    rows = rows.append(extra)  # expect: DP304
    for name, column in rows.iteritems():  # expect: DP304
        print(name, column)
    first = rows.ix[0]  # expect: DP304
    return rows["x"].append(first), rows.as_matrix()  # expect: DP304


def pictures(path, text):
    font = ImageFont.truetype("font.ttf", 12)
    canvas = ImageDraw.Draw(Image.open(path))
    return font.getsize(text), canvas.textsize(text)  # expect: DP304


def graphs():
    graph = nx.Graph()
    graph.add_path([1, 2])  # expect: DP304
    return graph.node[1]  # expect: DP304


def environment():
    env = gym.make("CartPole-v1")
    env.seed(1)  # expect: DP304
    observation, reward, done, info = env.step(0)  # expect: DP308
    return observation, reward, done, info, env.render(mode="rgb_array")  # expect: DP303


def words(sentences, path):
    trained = Word2Vec(sentences, size=100)  # expect: DP303
    vectors = KeyedVectors.load_word2vec_format(path)
    return trained.wv.vocab, vectors.index2word  # expect: DP304


def features(texts):
    vectorizer = CountVectorizer()
    counts = vectorizer.fit_transform(texts)
    return counts, vectorizer.get_feature_names()  # expect: DP304


def silent_tables(path, extra):
    rows = pd.read_csv(path)
    cells = rows["words"][0]
    cells.append(extra)
    rows.loc[0, "words"].append(extra)
    names = rows.columns.tolist()
    names.append("x")
    parts = []
    parts.append(rows)
    for name, column in rows.items():
        print(name, column)
    return pd.concat(parts), rows.iloc[0], rows.to_numpy()


def silent_others(font, graph, env, wrap, sentences):
    own = wrap(gym.make("CartPole-v1"))
    own.seed(1)
    observation, reward, done, info = own.step(0)
    env.seed(1)
    observation, reward, terminated, truncated, info = gym.make("CartPole-v1").step(0)
    trained = Word2Vec(sentences, vector_size=100)
    net = nx.DiGraph()
    net.nodes[1]["node"] = 2
    return font.getsize("x"), graph.node, observation, reward, done, terminated, truncated, info, trained.wv.key_to_index


def guarded(path, text):
    font = ImageFont.truetype("font.ttf", 12)
    if hasattr(font, "getbbox"):
        return font.getbbox(text)
    try:
        return font.getsize(text)
    except AttributeError:
        return None
