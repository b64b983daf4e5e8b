// Why a rule says nothing about a line: what it asked the engine, and what it was told.
#pragma once

#include "check/check.h"
#include "rules/rule.h"

#include <string>

namespace deepperf::check {

struct WhyQuestion {
  std::string path;
  u32 line = 0;                          // from 1
  u32 cell = 0;                          // of a notebook, from 1
  const rules::RuleInfo *rule = nullptr; // null: all that look at something that begins on the line
  std::vector<std::string> around;       // files and folders that are looked at together with it
};

struct WhyAnswer {
  bool found = false; // false: there is no such file or line, and `text` says so
  std::string text;
};

WhyAnswer explain_line(const WhyQuestion &question);

} // namespace deepperf::check
