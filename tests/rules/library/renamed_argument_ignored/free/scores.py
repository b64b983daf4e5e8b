import gradio as gr
import torchmetrics
from huggingface_hub import hf_hub_download

accuracy = torchmetrics.MeanMetric(compute_on_step=False)  # expect: DP303
path = hf_hub_download("a/b", "c.bin", resume_download=True)  # hint: DP303


def chosen(kind):
    if kind == "mic":
        return gr.update(source="microphone", value=None)  # expect: DP303
    return gr.update(visible=False)
