// Objects of libraries around the frameworks: a font of Pillow, a graph of NetworkX, an environment of Gym. The engine
// has one kind for all of them, and knows which API made each.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// What kind of object an instance is: the kind's name, or "GymEnv", "PilFont", "PilDraw", "NetworkxGraph",
// "WordVectors", "WordModel", "Vectorizer", "XgbModel", "LightGbmModel". Empty if it is none, or not known.
std::string_view object_name(const model::Value &value);

// The API that a call calls, or the method with what it is called on: `PandasFrame.dropna`, `GymEnv.step`. Functions of
// librosa.core have their names in librosa. Empty if it is neither.
std::string called_name(const Site &site, const python::Call &call);

} // namespace deepperf::rules
