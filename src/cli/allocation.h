// How the program's memory behaves.
#pragma once

namespace deepperf::cli {

// Memory that was freed goes back to the system after some seconds, and not at once: a check frees and takes large
// pieces all the time, and the system fills each piece with zeros again. Does nothing without mimalloc.
void keep_freed_memory();

} // namespace deepperf::cli
