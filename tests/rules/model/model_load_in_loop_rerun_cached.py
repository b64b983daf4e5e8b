import streamlit as st
from transformers import pipeline


@st.cache_resource
def load():
    return pipeline("summarization", model="facebook/bart-large-cnn")


text = st.text_area("text")
if st.button("go"):
    st.write(load()(text)[0]["summary_text"])
