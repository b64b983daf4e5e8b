#include "cli/commands.h"
#include "cli/study/study_commands.h"

namespace deepperf::cli {

void add_study(CLI::App &app, int &exit_code, bool with_commands) {
  CLI::App *study =
      app.add_subcommand("study", "Study what people ask about deep learning, from a Stack Exchange dump");
  if (!with_commands) {
    return;
  }
  study->require_subcommand(1);
  add_study_select(*study, exit_code);
  add_study_keywords(*study, exit_code);
  add_study_import(*study, exit_code);
  add_study_train(*study, exit_code);
  add_study_classify(*study, exit_code);
  add_study_evaluate(*study, exit_code);
  add_study_label(*study, exit_code);
  add_study_agree(*study, exit_code);
  add_study_stats(*study, exit_code);
  add_study_report(*study, exit_code);
  add_study_reproduce(*study, exit_code);
}

} // namespace deepperf::cli
