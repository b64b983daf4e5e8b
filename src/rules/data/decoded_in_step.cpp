#include "rules/per_step.h"
#include "rules/reach.h"

namespace deepperf::rules::decoded_in_step {

using namespace python;
using model::Value;

namespace {

void check(Site &site, const Call &call) {
  if (site.function == nullptr || site.module->is_test || enclosing(site, NodeKind::If) != nullptr ||
      enclosing(site, NodeKind::ExceptHandler) != nullptr) {
    return;
  }
  const PlaceContext context = context_of(site);
  if (!context.in_training_step || context.per_sample || !project_has_word(site, {"DataLoader"}) ||
      (site.function->name &&
       (site.function->name.text() == "__getitem__" || site.function->name.text() == "__iter__"))) {
    return;
  }
  report(site, call, "the training step reads and decodes files itself, while the GPU waits",
         "read them in the dataset's `__getitem__`, which the loader's workers run in parallel");
}

} // namespace

extern constinit const Rule kDecodedInStep = {
    .info = {.code = "DP446",
             .name = "decoded-in-step",
             .summary = "files that the training step itself opens and decodes",
             .root_cause = "Data: Inefficient Data Preprocessing",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`Image.open`, `cv2.imread`, `torchaudio.load` and the like in a training loop over a `DataLoader`, or in a function that every step of such
a loop calls, instead of in the dataset.

## Why it costs

The loop runs in one process. While it reads and decodes files, the GPU has nothing to do; the loader's workers, which would do the same in
parallel and ahead of time, only pass paths around.

## Bad

```python
import torch
from PIL import Image
from torchvision.transforms.functional import to_tensor


def train(model, optimizer, loader: torch.utils.data.DataLoader):
    for paths, labels in loader:
        images = torch.stack([to_tensor(Image.open(path)) for path in paths])
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
```

## Good

```python
import torch
from PIL import Image
from torchvision.transforms.functional import to_tensor


class Pictures(torch.utils.data.Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        path, label = self.rows[index]
        return to_tensor(Image.open(path)), label


def train(model, optimizer, rows):
    loader = torch.utils.data.DataLoader(Pictures(rows), batch_size=32, shuffle=True, num_workers=8)
    for images, labels in loader:
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
```

## When it is wrong

Where an image is read only to be logged from time to time: places under a condition are not reported.

## References

- PyTorch: data loading, multi-process data loading
)"},
    .calls = "PIL.Image.open cv2.imread torchaudio.load librosa.load soundfile.read torchvision.io.read_image "
             "torchvision.io.decode_image imageio.imread skimage.io.imread torchvision.io.read_video",
    .on_call = check};

} // namespace deepperf::rules::decoded_in_step
