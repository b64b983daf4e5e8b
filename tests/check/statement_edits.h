// Edits of single statements that leave a file's functions, classes and imports as they are, but not what rules say
// about it and about files that call it, are called by it, or share an attribute or an option with it.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::check {

namespace statement_edits {

constexpr std::array<std::string_view, 12> kAround = {"for _turn in range(1000):",
                                                      "while True:",
                                                      "with torch.no_grad():",
                                                      "if step % 100 == 0:",
                                                      "for batch in loader:",
                                                      "try:",
                                                      "with torch.cuda.amp.autocast():",
                                                      "with tf.GradientTape() as tape:",
                                                      "for epoch in range(10):",
                                                      "if self.training:",
                                                      "for _turn in range(2):",
                                                      "with torch.inference_mode():"};
constexpr std::array<std::string_view, 34> kStatements = {"loss.backward()",
                                                          "optimizer.zero_grad()",
                                                          "optimizer.step()",
                                                          "model.eval()",
                                                          "model.train()",
                                                          "self.eval()",
                                                          "scheduler.step()",
                                                          "loss = loss.item()",
                                                          "total += loss",
                                                          "x = x.cuda()",
                                                          "x = x.cpu().numpy()",
                                                          "torch.cuda.empty_cache()",
                                                          "torch.backends.cudnn.benchmark = True",
                                                          "x = torch.zeros(3)",
                                                          "self.hidden = torch.zeros(3)",
                                                          "self.history.append(loss)",
                                                          "args.workers = 0",
                                                          "args.batch_size = 1",
                                                          "args.num_workers = 4",
                                                          "self.num_workers = 0",
                                                          "config['lr'] = 0.5",
                                                          "return None",
                                                          "return torch.randn(3)",
                                                          "return x.cuda()",
                                                          "dataset = dataset.batch(8).map(lambda x: x)",
                                                          "data = np.random.rand(3)",
                                                          "x = F.softmax(x)",
                                                          "print(loss.item())",
                                                          "model = torch.compile(model)",
                                                          "model = nn.DataParallel(model)",
                                                          "setattr(self, 'mode', 3)",
                                                          "torch.save(model.state_dict(), 'x.pt')",
                                                          "parser.set_defaults(workers=0)",
                                                          "dist.barrier()"};
constexpr std::array<std::array<std::string_view, 2>, 12> kWords = {{{"True", "False"},
                                                                     {"False", "True"},
                                                                     {"train", "eval"},
                                                                     {"eval", "train"},
                                                                     {"None", "0"},
                                                                     {"numpy", "item"},
                                                                     {"cuda", "cpu"},
                                                                     {"cpu", "cuda"},
                                                                     {"mean", "sum"},
                                                                     {"append", "extend"},
                                                                     {"range", "list"},
                                                                     {"zeros", "ones"}}};

inline std::size_t depth_of(const std::string &line) { return std::min(line.find_first_not_of(' '), line.size()); }

// A line that is a statement by itself, as far as that can be told: brackets are closed, and nothing stands below it.
inline bool is_statement(const std::vector<std::string> &lines, std::size_t at) {
  const std::string &line = lines[at];
  const std::size_t depth = depth_of(line);
  if (depth == 0 || depth + 1 >= line.size() || std::isalpha(static_cast<unsigned char>(line[depth])) == 0) {
    return false;
  }
  const std::string_view text = std::string_view(line).substr(depth);
  const auto count = [&](char c) { return std::ranges::count(text, c); };
  const bool is_closed = count('(') == count(')') && count('[') == count(']') && count('{') == count('}');
  const bool is_plain = !text.ends_with(":\n") && !text.ends_with(",\n") && !text.ends_with("\\\n") &&
                        text.find("\"\"\"") == std::string_view::npos;
  const bool stays = at == 0 || depth_of(lines[at - 1]) <= depth;
  return is_closed && is_plain && stays && !text.starts_with("def ") && !text.starts_with("class ") &&
         !text.starts_with("import ") && !text.starts_with("from ") && !text.starts_with("el") &&
         !text.starts_with("except") && !text.starts_with("finally");
}

} // namespace statement_edits

template <class Random> void edit_statement(std::string &text, Random &random) {
  using namespace statement_edits;
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
    lines.push_back(text.substr(start, end - start));
    start = end;
  }
  std::size_t at = lines.size();
  for (int tries = 0; tries < 40 && !lines.empty(); ++tries) {
    const std::size_t some = random.below(lines.size());
    if (is_statement(lines, some)) {
      at = some;
      break;
    }
  }
  if (at == lines.size()) {
    text += random.one_in(2) ? "x = 1\n" : "# nothing to edit\n";
    return;
  }
  const std::string indent(depth_of(lines[at]), ' ');
  const auto place = lines.begin() + static_cast<std::ptrdiff_t>(at);
  switch (random.below(8)) {
  case 0:
  case 1: { // it comes under something
    const std::string around = indent + std::string(random.of(kAround)) + "\n";
    lines[at] = around + "    " + lines[at] +
                (around.find("try:") != std::string::npos ? indent + "finally:\n    " + indent + "pass\n" : "");
    break;
  }
  case 2:
  case 3:
    lines.insert(place, indent + std::string(random.of(kStatements)) + "\n");
    break;
  case 4:
    lines[at] = indent + "pass\n";
    break;
  case 5: { // a number
    const std::size_t digit = lines[at].find_first_of("0123456789");
    if (digit != std::string::npos) {
      lines[at][digit] = static_cast<char>('0' + static_cast<char>(random.below(10)));
    } else {
      lines.insert(place, lines[at]);
    }
    break;
  }
  case 6: { // a word, somewhere from here on
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::string &line = lines[(at + i) % lines.size()];
      const auto &[from, to] = random.of(kWords);
      const std::size_t found = line.find(from);
      if (found != std::string::npos && !line.starts_with("def ") && !line.starts_with("import ") &&
          !line.starts_with("from ") && line.find("def ") == std::string::npos) {
        line.replace(found, from.size(), to);
        break;
      }
    }
    break;
  }
  default: // places only
    lines.insert(place, random.one_in(2) ? "\n" : indent + "# a comment\n");
  }
  text.clear();
  for (const std::string &line : lines) {
    text += line;
  }
}

} // namespace deepperf::check
