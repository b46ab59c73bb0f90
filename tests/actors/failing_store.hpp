// The store in memory, with faults that a test injects.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include <caf/all.hpp>

#include "gateway/messages/actors.hpp"
#include "memory_store.hpp"

namespace gateway::testing {

/// How the next unit fails. A held-up unit is answered as unavailable, and committed when the test calls land(). A unit
/// whose name is taken is answered as a duplicate record. Before an overtaken unit another node has changed the row.
enum class fault { none, queue_full, before_commit, after_commit, held_up, taken, overtaken };

struct failing_store : memory_store {
  std::deque<fault> faults;  ///< one for each of the next units; empty: none
  std::atomic<bool> reads_fail = false;
  std::vector<unit_of_work> taken;  ///< the units that failed with `taken`
  unsigned commits = 0;
  unsigned directory_reads = 0;
  std::vector<merchant_id> unreadable_connections;  ///< merchants with a connection whose row cannot be read

  using memory_store::run;
  directory_lookup run(const find_directory& what) const {
    auto found = memory_store::run(what);
    found.unreadable_connections = unreadable_connections;
    return found;
  }

  commit_outcome execute(const unit_of_work& unit) {
    // The reconciler records the time on its own schedule; faults apply only to units that the test causes.
    if (unit_parts{unit}.last_seen) return commit(unit);
    auto trouble = fault::none;
    if (!faults.empty()) {
      trouble = faults.front();
      faults.pop_front();
    }
    if (trouble == fault::queue_full) return commit_outcome::rejected;
    if (trouble == fault::before_commit) return commit_outcome::unavailable;
    if (trouble == fault::overtaken) return commit_outcome::lost_claim;
    if (trouble == fault::taken) {
      taken.push_back(unit);
      return commit_outcome::duplicate_record;
    }
    if (trouble == fault::held_up) {
      on_their_way.push_back(unit);
      return commit_outcome::unavailable;
    }
    const auto outcome = commit(unit);
    if (outcome == commit_outcome::committed) ++commits;
    return trouble == fault::after_commit ? commit_outcome::unavailable : outcome;
  }

  /// Commits what was held up, or loses its claim if the row has changed meanwhile. No answer is sent.
  void land() {
    for (const auto& unit : std::exchange(on_their_way, {})) commit(unit);
  }

 private:
  std::vector<unit_of_work> on_their_way;
};

using failing_store_ptr = std::shared_ptr<failing_store>;

/// A node's connection to the rows. Once it is cut, as by a crash, nothing that the node still does reaches them.
struct store_line {
  failing_store_ptr rows;
  std::shared_ptr<bool> cut = std::make_shared<bool>(false);
  bool readable() const { return !*cut && !rows->reads_fail; }
};

inline store_writer::behavior_type failing_writer(store_writer::pointer, store_line line) {
  return {[line](const unit_of_work& unit) -> caf::result<commit_outcome> {
            return *line.cut ? commit_outcome::unavailable : line.rows->execute(unit);
          },
          [line](const purge_commands& what) -> caf::result<purge_result> {
            if (*line.cut) return make_error(actor_errc::store_unavailable);
            return line.rows->run(what);
          },
          [](const clear_free_pages&) { return clear_free_pages_result{}; },
          [line](const redeliver_rows& what) -> caf::result<redeliver_rows_result> {
            if (*line.cut) return make_error(actor_errc::store_unavailable);
            return line.rows->run(what);
          },
          [](work_atom) {}};
}

inline store_reader::behavior_type failing_reader(store_reader::pointer, store_line line) {
  return {[line](const store_question& question) -> caf::result<store_answer> {
    if (std::holds_alternative<find_directory>(question)) ++line.rows->directory_reads;
    if (!line.readable()) return make_error(actor_errc::store_unavailable);
    return std::visit([&](const auto& what) -> store_answer { return line.rows->run(what); }, question);
  }};
}

}  // namespace gateway::testing
