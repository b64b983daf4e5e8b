// What a name tells by the words in it. Asked for again and again, so each name is looked at once.
#pragma once

#include "base/symbol.h"

namespace deepperf::model {

enum NameTrait : u8 {
  kCountsDimensions = 1, // shape, ndim, my_axis: a tensor has few of them. `axes` alone may be those of a plot
  kNamesFew = 2,         // heads, num_layers: what a model or a machine has only a few of
  kLoaderName = 4,       // train_loader, trainloader, val_dl, but not get_loader
  kSaysBeam = 8,
  kAsksForEager = 16,  // executing_eagerly…
  kTokenizerName = 32, // tokenizer, src_tokenizer, but not get_tokenizer
  kModelName = 64,     // model, self.q_net, but not load_model
};

// By symbol, of each thread; 0 where nobody has asked yet.
struct KnownTraits {
  const u8 *traits = nullptr;
  u32 count = 0;
};
extern constinit thread_local KnownTraits known_traits;

u8 find_name_traits(Symbol name);

// Its traits, as bits.
inline u8 name_traits(Symbol name) {
  const u8 known = name.id < known_traits.count ? known_traits.traits[name.id] : u8{0};
  return known != 0 ? known : find_name_traits(name);
}

inline bool has_trait(Symbol name, NameTrait trait) { return (name_traits(name) & trait) != 0; }

} // namespace deepperf::model
