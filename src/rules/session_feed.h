// What rules ask of a session's run: is it one, and does it train?
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// `sess.run(…)` of a Session, or of something that is called like one.
bool is_session_run(const Site &site, const python::Call &call);

// Does it fetch what an optimizer's minimize or apply_gradients gave, or something that is called a training operation?
bool fetches_train_op(const Site &site, const python::Expr *fetches);

// The dict that is fed, also under a name; null if none is, or if it is not written down.
const python::Dict *fed_dict(const Site &site, const python::Call &call);

// Does the file play games? There, inputs come one by one.
bool plays_games(const model::Module &module);

} // namespace deepperf::rules
