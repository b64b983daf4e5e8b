# coding: gbk
x = "你好"
