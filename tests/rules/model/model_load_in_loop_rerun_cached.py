import streamlit as st
from transformers import pipeline


@st.cache_resource
def load():
    return pipeline("text-classification", model="facebook/bart-large-cnn")


text = st.text_area("text")
if st.button("go"):
    st.write(load()(text)[0]["summary_text"])
