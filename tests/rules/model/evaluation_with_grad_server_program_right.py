import io
import flask
import torch
from PIL import Image
from torchvision import models, transforms

app = flask.Flask(__name__)


class Predictor:
    def __init__(self, weights):
        self.net = models.resnet50()
        self.net.load_state_dict(torch.load(weights, map_location="cpu"))  # expect: DP306
        self.net.eval()
        self.tf = transforms.Compose([transforms.Resize(256), transforms.CenterCrop(224), transforms.ToTensor()])

    def preprocess(self, blob):
        return self.tf(Image.open(io.BytesIO(blob)).convert("RGB")).unsqueeze(0)

    @torch.inference_mode()
    def __call__(self, blob):
        out = self.net(self.preprocess(blob))
        prob = torch.nn.functional.softmax(out, dim=1)
        top = prob.topk(5)
        return [{"class": int(c), "p": float(p)} for c, p in zip(top.indices[0], top.values[0])]


predictor = Predictor("resnet50.pth")


@app.route("/predict", methods=["POST"])
def predict():
    return flask.jsonify(predictor(flask.request.files["image"].read()))


if __name__ == "__main__":
    app.run(host="0.0.0.0")
