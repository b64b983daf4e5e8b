# Streamlit runs a script from start to end for every interaction.
import streamlit as st
from transformers import pipeline

summarize = pipeline("text-classification", model="facebook/bart-large-cnn")  # expect: DP205
text = st.text_area("text")
if st.button("go"):
    st.write(summarize(text)[0]["summary_text"])
