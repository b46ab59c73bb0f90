// What an entity's actor knows of its row and its timeline: what it has seen committed. If a commit's outcome is
// unknown, the memory is cleared, and the next request reads the row. While such a commit of this actor, or of an
// earlier actor of this entity, may still take effect, a row that was read serves one request only. The same holds
// while other nodes are live: each of them may have changed the row, and a client that has seen the change must not
// read an older state here. Memory from that time stays unused after the other nodes have gone, because no message
// reports their last change to this actor.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include <caf/actor_clock.hpp>

#include "entity/commit_doubt.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/membership.hpp"
#include "row_knowledge.hpp"

namespace gateway::actors {

class row_memory {
 public:
  using moment = caf::actor_clock::time_point;

  void start(const membership& nodes, moment doubt_until) {
    nodes_ = &nodes;
    if (doubt_until > moment{}) doubt(doubt_until);
  }

  /// Null if there is no such entity, or if the row is not known.
  const entity_row& row() const noexcept { return row_; }
  bool is_known() const noexcept { return actors::is_known(knowledge_); }
  /// The row that is known is at least as recent as this time.
  moment known_as_of() const noexcept { return known_as_of_; }
  /// When the read of the row that has just become known was sent, if it was read.
  moment read_begun_at() const noexcept { return read_begun_at_; }
  /// Whether no other node can have changed the row since it became known, judged by the membership's eras.
  bool is_of_this_era() const noexcept { return known_in_ == nodes_->era(); }
  /// Whether an unanswered commit of this actor, or of an earlier one, may still take effect.
  bool in_doubt() const noexcept { return is_in_doubt(knowledge_); }

  void begin_read(moment now) {
    read_begun_at_ = now;
    asked_in_ = nodes_->era();
  }
  void begin_commit() { asked_in_ = nodes_->era(); }

  /// Stores the row as it was read. Null: there is none.
  void learn_read(entity_row&& row);
  /// Stores the row as this actor has committed it. Any other commit in flight will fail, because this commit changed
  /// the version that it claims.
  void learn_committed(entity_row&& row, moment now);
  /// A commit of this actor, or of an earlier actor of this entity, got no answer. It may take effect until that time.
  void doubt(moment until);
  void forget() noexcept;
  /// Call at the end of each request. `now` is used only while a commit is in doubt.
  void end_request(moment now);

  /// Records that the timeline is empty: the entity was just created.
  void begin_timeline() { timeline_.emplace(); }
  void learn_timeline(std::vector<timeline_entry>&& entries) { timeline_ = std::move(entries); }
  /// Appends committed entries, if the timeline is known.
  void add_to_timeline(std::vector<timeline_entry>&& entries);
  /// Null if it is not known. Shared with readers until the next change.
  const timeline_ptr& timeline();

 private:
  void learn(entity_row&& row, row_event how);
  void clear() noexcept;

  const membership* nodes_ = nullptr;
  row_knowledge knowledge_ = row_knowledge::unknown;
  moment doubt_until_{};  ///< of the last commit without an answer
  moment read_begun_at_{};
  moment known_as_of_{};
  std::uint64_t asked_in_ = 0;  ///< the era in which the store was last asked to read or change the row
  std::uint64_t known_in_ = 0;  ///< the era that the known row belongs to
  entity_row row_;  ///< shared with readers
  std::optional<std::vector<timeline_entry>> timeline_;
  timeline_ptr seen_timeline_;
};

}  // namespace gateway::actors
