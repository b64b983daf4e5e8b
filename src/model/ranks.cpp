#include "model/ranks.h"

#include <algorithm>

namespace deepperf::model {

namespace {

// Tarjan's strongly connected components, without recursion: chains of calls may be long.
class Components {
public:
  explicit Components(std::span<const std::vector<u32>> edges)
      : edges_(edges), numbers_(edges.size(), 0), lowest_(edges.size(), 0), is_open_(edges.size(), 0),
        ranks(edges.size(), 0) {
    for (u32 i = 0; i < edges.size(); ++i) {
      if (numbers_[i] == 0) {
        visit(i);
      }
    }
  }

private:
  struct Frame {
    u32 node = 0;
    u32 next = 0;
  };

  void enter(u32 node) {
    numbers_[node] = lowest_[node] = ++count_;
    is_open_[node] = 1;
    open_.push_back(node);
    frames_.push_back({node, 0});
  }

  void visit(u32 start) {
    enter(start);
    while (!frames_.empty()) {
      Frame &frame = frames_.back();
      if (frame.next < edges_[frame.node].size()) {
        const u32 target = edges_[frame.node][frame.next++];
        if (numbers_[target] == 0) {
          enter(target); // moves the frames
        } else if (is_open_[target] != 0) {
          lowest_[frame.node] = std::min(lowest_[frame.node], numbers_[target]);
        }
        continue;
      }
      const u32 node = frame.node;
      frames_.pop_back();
      if (!frames_.empty()) {
        lowest_[frames_.back().node] = std::min(lowest_[frames_.back().node], lowest_[node]);
      }
      if (lowest_[node] == numbers_[node]) {
        close(node);
      }
    }
  }

  // All that the component waits for is closed already.
  void close(u32 root) {
    auto first = open_.end();
    do {
      --first;
    } while (*first != root);
    u32 rank = 0;
    for (auto at = first; at != open_.end(); ++at) {
      for (const u32 target : edges_[*at]) {
        if (is_open_[target] == 0) {
          rank = std::max(rank, ranks[target] + 1);
        }
      }
    }
    for (auto at = first; at != open_.end(); ++at) {
      ranks[*at] = rank;
      is_open_[*at] = 0;
    }
    open_.erase(first, open_.end());
  }

  std::span<const std::vector<u32>> edges_;
  std::vector<u32> numbers_; // in the order of visiting, from 1
  std::vector<u32> lowest_;
  std::vector<u8> is_open_;
  std::vector<u32> open_;
  std::vector<Frame> frames_;
  u32 count_ = 0;

public:
  std::vector<u32> ranks;
};

} // namespace

std::vector<u32> ranks_of(std::span<const std::vector<u32>> edges) { return Components(edges).ranks; }

} // namespace deepperf::model
