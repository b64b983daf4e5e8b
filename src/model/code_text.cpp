#include "model/code_text.h"

#include "python/children.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <string>

namespace deepperf::model {

using namespace python;

namespace {

void blank(std::string &text, u32 start, u32 end) {
  for (u32 at = start; at < end && at < text.size(); ++at) {
    if (text[at] != '\n') {
      text[at] = ' ';
    }
  }
}

// Strings that stand alone as a statement.
void blank_docstrings(std::string &text, const Node *node) {
  switch (node->kind) {
  case NodeKind::ExprStmt: {
    const Expr *const value = static_cast<const ExprStmt *>(node)->value;
    if (is_constant(value, ConstantKind::Str)) {
      blank(text, value->start, value->end);
    }
    return;
  }
  case NodeKind::FunctionDef:
  case NodeKind::ClassDef:
  case NodeKind::If:
  case NodeKind::For:
  case NodeKind::While:
  case NodeKind::With:
  case NodeKind::Try:
  case NodeKind::ExceptHandler:
    for_each_child(node, [&text](const Node *child) { blank_docstrings(text, child); });
    return;
  default:
    return;
  }
}

} // namespace

TextGroups::TextGroups(std::string_view text) {
  // Code repeats itself: a text of so many bytes has about a quarter as many groups.
  const u32 bits = static_cast<u32>(std::clamp<u64>(std::bit_width(text.size()), 10, 17));
  shift_ = 32 - bits;
  bits_.resize((std::size_t{1} << bits) / 64);
  for (std::size_t at = 0; at + kBytes <= text.size(); ++at) {
    const u32 bit = bit_of(text.data() + at);
    bits_[bit / 64] |= u64{1} << (bit % 64);
  }
}

const TextGroups &groups_of(const Module &module) {
  const TextGroups *const known = module.text_groups.get_local();
  return known != nullptr ? *known : module.text_groups.set(std::make_unique<const TextGroups>(code_of(module)));
}

std::string_view code_of(const Module &module) {
  if (const std::string *const known = module.code.get_local()) {
    return *known;
  }
  const ParsedFile &file = *module.parsed;
  auto text = std::make_unique<std::string>(file.source.text());
  for (const Span &comment : file.tree.comments) {
    blank(*text, comment.start, comment.end);
  }
  for (const Stmt *statement : file.tree.body) {
    blank_docstrings(*text, statement);
  }
  return module.code.set(std::move(text));
}

std::string_view code_of(const Module &module, const Node *node) {
  const std::string_view code = code_of(module);
  return node != nullptr && node->start <= node->end && node->end <= code.size()
             ? code.substr(node->start, node->end - node->start)
             : std::string_view{};
}

} // namespace deepperf::model
