// Jupyter notebooks: from the JSON of an .ipynb file to the Python code of its cells.
#pragma once

#include "python/source.h"

#include <span>
#include <vector>

namespace deepperf::python {

// Makes the code cells of a notebook (nbformat 3 or 4) the segments of `source`. A notebook in another language than
// Python has none. False: the JSON is malformed or not a notebook, and `errors` says so once.
//
// `json` has Source::kPadding readable bytes after its end, is overwritten, and may well be the buffer of `source`.
bool read_notebook(std::span<char> json, Source &source, std::vector<SourceError> &errors);

} // namespace deepperf::python
