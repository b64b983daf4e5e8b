// `deepperf server`: the Language Server Protocol 3.17 over two descriptors.
//
// One thread reads messages, another one handles them in their order and checks when there is nothing more to handle.
// So edits that arrive while a check runs are merged, and the last state is always reported.
#pragma once

#include "server/session.h"

namespace deepperf::server {

struct ServerOptions {
  SessionOptions session;
  int input = 0;
  int output = 1;
};

// Until the editor says `exit` or closes the input. The exit code of the process: 0 if the editor has said `shutdown`
// before, else 1.
int run(const ServerOptions &options);

} // namespace deepperf::server
