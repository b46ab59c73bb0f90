// The answers that an entity's actor keeps for replays. Older ones are read from the store, and so are all while other
// nodes are live: one of them may have erased the data of an answer that this node would remember.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gateway/messages/actors.hpp"
#include "gateway/ports/membership.hpp"

namespace gateway::actors {

class recent_answers {
 public:
  struct past_answer {
    idempotency write;
    answer_ptr result;
  };

  /// The answer given under this key, to any request; null if it is not remembered.
  const past_answer* find(const command_key& key, const membership& nodes) const noexcept {
    if (nodes.era() != era_) return nullptr;
    for (const auto& past : kept_)
      if (past.write.key == key) return &past;
    return nullptr;
  }

  void keep(const idempotency& write, answer_ptr result, const membership& nodes) {
    if (std::exchange(era_, nodes.era()) != nodes.era()) kept_.clear();
    if (nodes.has_other_nodes()) return;
    if (kept_.size() >= most) kept_.erase(kept_.begin());
    kept_.push_back({write, std::move(result)});
  }

 private:
  static constexpr std::size_t most = 8;

  // A vector used as a queue: it is short, and an empty deque would cost each idle actor half a kilobyte.
  std::vector<past_answer> kept_;
  std::uint64_t era_ = 0;  ///< of the membership, when they were kept
};

}  // namespace gateway::actors
