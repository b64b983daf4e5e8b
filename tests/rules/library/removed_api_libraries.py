import collections
import distutils.util  # hint: DP301
import imp  # expect: DP301
import string
import time
from collections import Mapping, OrderedDict  # expect: DP301
from fractions import gcd as greatest  # expect: DP301

import gym
import librosa
import matplotlib.pyplot as plt
import networkx as nx
import openai
import pandas as pd
import timm.models.layers
import torch
import torchvision.transforms.functional_tensor as F_t  # expect: DP301
from keras import backend as K
from keras.layers import merge  # expect: DP301
from keras.preprocessing.image import ImageDataGenerator, img_to_array  # expect: DP301
from keras.utils.np_utils import to_categorical  # expect: DP301
from PIL import Image
from scipy.misc import imread as read_picture  # expect: DP301
from skimage.measure import compare_ssim, label  # expect: DP301
from sklearn import cross_validation, metrics  # expect: DP301
from sklearn.datasets import load_boston, load_iris  # expect: DP301
from sklearn.externals import joblib  # expect: DP301
from transformers import AdamW, AutoModel  # expect: DP301
from transformers.modeling_bert import BertModel  # expect: DP301
from trl import PPOTrainer  # expect: DP301
from trl.experimental.orpo import ORPOTrainer

try:
    from torch._six import string_classes
except ImportError:
    string_classes = (str, bytes)

try:
    model = torch.load("model.pt", weights_only=True)
    Image.open("x.png").resize((2, 2), Image.ANTIALIAS)  # expect: DP301
except KeyboardInterrupt:
    model = None


def fires(path, graph, matrix):
    picture = Image.open(path).resize((2, 2), Image.ANTIALIAS)
    answer = openai.ChatCompletion.create(model="x", messages=[])  # expect: DP301
    table = pd.datetime.now()  # expect: DP301
    other = nx.from_numpy_matrix(matrix)  # expect: DP301
    colors = plt.cm.get_cmap("jet")  # expect: DP301
    env = gym.wrappers.Monitor(gym.make("x"), "videos")  # expect: DP301
    librosa.output.write_wav("x.wav", matrix, 16000)  # expect: DP301
    start = time.clock()  # expect: DP301
    return picture, answer, table, other, colors, env, start, K.mean(matrix)  # expect: DP301


def silent(path, value, matrix):
    picture = read_picture(path)  # its import says so
    ratio = greatest(2, 4)
    names = string.ascii_letters
    sizes = isinstance(value, collections.abc.Mapping), isinstance(value, OrderedDict)
    colors = plt.get_cmap("jet")
    graph = nx.from_numpy_array(matrix)
    resized = Image.open(path).resize((2, 2), Image.LANCZOS)
    epsilon = K.epsilon()
    return picture, ratio, names, sizes, colors, graph, resized, epsilon, Mapping, AdamW, value.ANTIALIAS, time.time()


def guarded(path):
    if hasattr(Image, "LINEAR"):
        return Image.open(path).resize((2, 2), Image.LINEAR)
    return Image.open(path).resize((2, 2), Image.BILINEAR)
