from more_names import *
