// What an entity's actor knows of its row and its timeline: what it has seen committed. Whenever a commit's outcome is
// in doubt it forgets, and the next request reads the row. While such a commit may still land, this actor's own or that
// of an actor before it, what is read serves one request only. The same holds while other nodes serve: each of them may
// have changed the row, and a client who was told so must not be told otherwise here. Memory is not used when they have
// gone either, because no message told this actor of their last change.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include <caf/actor_clock.hpp>

#include "entity/commit_doubt.hpp"
#include "gateway/actors.hpp"
#include "gateway/membership.hpp"

namespace gateway::actors {

class row_memory {
 public:
  using moment = caf::actor_clock::time_point;

  void start(const membership& nodes, moment doubt_until) {
    nodes_ = &nodes;
    doubt_until_ = doubt_until;
  }

  /// Null if there is no such entity, or it is not known.
  const entity_row& row() const noexcept { return row_; }
  bool is_known() const noexcept { return known_; }
  /// When the row was no older than it is known.
  moment known_as_of() const noexcept { return known_as_of_; }
  /// When the row that has just become known was asked for, if it was read.
  moment read_begun_at() const noexcept { return read_begun_at_; }
  /// Whether no other node can have changed the row since it became known, as far as eras tell.
  bool is_of_this_era() const noexcept { return known_in_ == nodes_->era(); }
  /// Whether what this actor has sent, or one before it, may still land.
  bool in_doubt() const noexcept { return doubt_until_ > moment{}; }

  void begin_read(moment now) {
    read_begun_at_ = now;
    asked_in_ = nodes_->era();
  }
  void begin_commit() { asked_in_ = nodes_->era(); }

  /// The row as it was read. Null: there is none.
  void learn_read(entity_row&& row);
  /// The row as this actor has committed it. Whatever else was on its way has lost its claim by that.
  void learn_committed(entity_row&& row, moment now);
  void doubt(moment until) { doubt_until_ = until; }
  void forget() noexcept;
  /// A request is over. `now` matters only while something is in doubt.
  void end_request(moment now);

  /// The timeline is known to be empty: the entity was made just now.
  void begin_timeline() { timeline_.emplace(); }
  void learn_timeline(std::vector<timeline_entry>&& entries) { timeline_ = std::move(entries); }
  /// If the timeline is known, these were committed to it.
  void add_to_timeline(std::vector<timeline_entry>&& entries);
  /// Null if it is not known. Shared with readers until the next change.
  const timeline_ptr& timeline();

 private:
  void learn(entity_row&& row);

  const membership* nodes_ = nullptr;
  bool known_ = false;  ///< row_ is what the store holds
  moment doubt_until_{};  ///< until then no row that is read is used for longer than one request
  moment read_begun_at_{};
  moment known_as_of_{};
  std::uint64_t asked_in_ = 0;  ///< the era in which the store was last asked for the row, or to change it
  std::uint64_t known_in_ = 0;  ///< and of what is known of the row
  entity_row row_;  ///< shared with readers
  std::optional<std::vector<timeline_entry>> timeline_;
  timeline_ptr seen_timeline_;
};

}  // namespace gateway::actors
