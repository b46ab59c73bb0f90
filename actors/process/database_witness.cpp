#include "database_witness.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include "gateway/base/crypto.hpp"
#include "gateway/base/durable_file.hpp"
#include "gateway/base/log.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/ports/store/unit_of_work.hpp"

namespace gateway::actors {

namespace {

constexpr std::chrono::seconds witness_commit_timeout{30};
constexpr std::size_t most_witness_bytes = 1'024;
/// A node of several also increments its number when it commits nothing: it may have answered reads of other nodes'
/// commits, and a restored database must look old to each node.
constexpr ticks_ms between_marks_of_nodes{10'000};
/// The reason why one node refuses writes, for nodes that start meanwhile. Empty or missing: no node does.
constexpr std::string_view recovery_fact = "recovery_required";

/// The name under which the database stores a node's number. Such a name has at most 64 bytes, and so may a node's own
/// name, so a long one is hashed.
std::string witness_name(std::string_view node) {
  constexpr std::size_t longest = 56;
  return "witness:" +
         (node.size() <= longest ? std::string{node} : crypto::hex(crypto::sha256(node)).substr(0, longest));
}

struct witness_line {
  std::string name;
  std::int64_t number = 0;
};

std::optional<std::int64_t> witness_number(std::string_view text) {
  return parse_whole(text, 0, std::numeric_limits<std::int64_t>::max());
}

/// `NAME NUMBER TIME`. The time is only for readers of the file.
std::optional<witness_line> parse_witness(std::string_view text) {
  const auto first = text.find(' '), second = text.find(' ', first == text.npos ? first : first + 1);
  if (second == text.npos || !text.ends_with('\n')) return std::nullopt;
  const auto number = witness_number(text.substr(first + 1, second - first - 1));
  if (!number) return std::nullopt;
  return witness_line{std::string{text.substr(0, first)}, *number};
}

class database_witness_state {
 public:
  static inline const char* name = "database_witness";

  void start(database_witness_actor::pointer self, store_writer recorder, witness_state found, const wall_clock& clock,
             metrics& counts, write_gate& gate, const membership& nodes) {
    self_ = self;
    nodes_ = &nodes;
    recorder_ = std::move(recorder);
    found_ = std::move(found);
    clock_ = &clock;
    counts_ = &counts;
    gate_ = &gate;
    // A start needs a mark only if there is no file yet, or if the database is marked as a copy.
    if (found_.has_file && !found_.is_copy) marked_at_ = counts_->commits.Value();
    marked_when_ = nodes_->now();
    counts_->recovery_required.Set(gate_->is_closed() ? 1 : 0);
    self_->send(self_, wake_atom::value);
  }

  void tick() {
    self_->delayed_send(self_, between_witnesses, wake_atom::value);
    if (is_under_way_ || !nodes_->serves()) return;
    if (gate_->is_closed()) return announce();
    if (has_commits() || is_due_beside_others()) return mark();
    if (file_lags_) write_file();
  }

  caf::result<bool> drain() {
    if (gate_->is_closed()) return true;
    draining_ = self_->make_response_promise<bool>();
    if (!is_under_way_) finish_drain();
    return draining_;
  }

  /// Accepts the database as it is, after the commit of the present mark has ended.
  caf::result<commit_outcome> accept(const accept_database& wanted) {
    if (waiting_) return commit_outcome::rejected;
    auto promise = self_->make_response_promise<commit_outcome>();
    if (is_under_way_)
      waiting_.emplace(promise, wanted.note);
    else
      commit_acceptance(promise, wanted.note);
    return promise;
  }

 private:
  /// Whether there were commits since the last mark, not counting the mark's own.
  bool has_commits() const { return counts_->commits.Value() != marked_at_; }

  bool is_due_beside_others() const {
    return nodes_->clustered() && nodes_->now() - marked_when_ >= between_marks_of_nodes;
  }

  /// Stores why this node refuses writes, so that no node that starts meanwhile accepts writes, not even one with an
  /// empty data directory.
  void announce() {
    if (is_announced_ || !nodes_->clustered()) return;
    unit_of_work unit;
    unit.kind = unit_kind::record;
    unit.inserts.push_back(save_fact{std::string{recovery_fact}, nodes_->name() + ": " + found_.why_old});
    is_under_way_ = true;
    const auto ended = [this](bool done) {
      is_under_way_ = false;
      is_announced_ = done;
      accept_waiting();
    };
    self_->request(recorder_, witness_commit_timeout, std::move(unit))
        .then([ended](commit_outcome outcome) { ended(outcome == commit_outcome::committed); },
              [ended](const caf::error&) { ended(false); });
  }

  /// Begins the operator's acceptance if it waited for a commit. Returns whether it did.
  bool accept_waiting() {
    if (!waiting_) return false;
    auto next = *std::exchange(waiting_, std::nullopt);
    commit_acceptance(std::move(next.first), std::move(next.second));
    return true;
  }

  unit_of_work unit_with_mark() const {
    unit_of_work unit;
    unit.kind = unit_kind::record;
    unit.inserts.push_back(save_fact{found_.name, std::to_string(found_.number + 1)});
    if (found_.is_copy) unit.inserts.push_back(save_fact{std::string{backup_mark_name}, {}});
    return unit;
  }

  /// Commits the acceptance together with the operator's audit entry.
  void commit_acceptance(caf::typed_response_promise<commit_outcome> promise, save_audit note) {
    auto unit = unit_with_mark();
    unit.kind = unit_kind::change;
    unit.inserts.push_back(save_fact{std::string{recovery_fact}, {}});
    unit.inserts.push_back(std::move(note));
    commit(std::move(unit), [this, promise](commit_outcome outcome) mutable {
      if (outcome == commit_outcome::committed && gate_->is_closed()) {
        gate_->open();
        counts_->recovery_required.Set(0);
        log::warn("database_accepted", {{"witness", found_.number}});
      }
      promise.deliver(outcome);
    });
  }

  void mark() {
    commit(unit_with_mark(), [](commit_outcome) {});
  }

  /// Commits before the mark was sent are in every copy of the database that has the mark.
  template <class Then>
  void commit(unit_of_work unit, Then then) {
    is_under_way_ = true;
    marked_when_ = nodes_->now();
    const auto before = counts_->commits.Value();
    self_->request(recorder_, witness_commit_timeout, std::move(unit))
        .then(
            [this, before, then](commit_outcome outcome) mutable { end_commit(before, outcome, then); },
            [this, before, then](const caf::error&) mutable { end_commit(before, commit_outcome::unavailable, then); });
  }

  template <class Then>
  void end_commit(double before, commit_outcome outcome, Then& then) {
    is_under_way_ = false;
    if (outcome == commit_outcome::committed) {
      ++found_.number;
      found_.is_copy = false;
      marked_at_ = before + 1;
      write_file();
    }
    then(outcome);
    if (accept_waiting() || !draining_.pending()) return;
    if (is_last_)
      draining_.deliver(true);
    else
      finish_drain();
  }

  void finish_drain() {
    is_last_ = true;
    if (has_commits()) return mark();
    if (file_lags_) write_file();
    draining_.deliver(true);
  }

  /// After a failure the next tick writes the file. Until then an older copy of the database would not be noticed.
  void write_file() {
    const auto line = found_.name + ' ' + std::to_string(found_.number) + ' ' + format_millis(clock_->now()) + '\n';
    try {
      write_durably(found_.file, line);
      file_lags_ = false;
    } catch (const std::runtime_error& failure) {
      if (!std::exchange(file_lags_, true)) log::error("database_witness_unwritten", {{"why", failure.what()}});
    }
  }

  database_witness_actor::pointer self_ = nullptr;
  store_writer recorder_;
  witness_state found_;
  const wall_clock* clock_ = nullptr;
  metrics* counts_ = nullptr;
  write_gate* gate_ = nullptr;
  const membership* nodes_ = nullptr;
  std::optional<std::pair<caf::typed_response_promise<commit_outcome>, save_audit>> waiting_;  ///< acceptance
  caf::typed_response_promise<bool> draining_;
  double marked_at_ = -1;  ///< the number of commits up to and with the last mark
  ticks_ms marked_when_{};  ///< when the last mark began
  bool is_under_way_ = false, file_lags_ = false;
  bool is_announced_ = false;  ///< the other nodes know that this one takes no writes
  bool is_last_ = false;  ///< the mark under way is the last before the process ends
};

database_witness_actor::behavior_type database_witness_behavior(
    database_witness_actor::stateful_pointer<database_witness_state> self, store_writer recorder,
    const witness_state& found, const wall_clock* clock, metrics* counts, write_gate* gate, const membership* nodes) {
  self->state.start(self, std::move(recorder), found, *clock, *counts, *gate, *nodes);
  return {[self](wake_atom) { self->state.tick(); }, [self](drain_atom) { return self->state.drain(); },
          [self](const accept_database& wanted) { return self->state.accept(wanted); }};
}

}  // namespace

witness_state compare_with_witness(const std::filesystem::path& file, std::string_view node, const fact_reader& facts,
                                   bool is_new) {
  witness_state found{file, witness_name(node)};
  const auto stored = [&](const std::string& name) { return witness_number(facts(name).value_or("")).value_or(0); };
  found.number = stored(found.name);
  const auto copied_at = facts(backup_mark_name).value_or("");
  found.is_copy = !copied_at.empty();
  found.has_file = !is_new && std::filesystem::exists(file);
  if (found.has_file) {
    const auto line = parse_witness(read_small_file(file, most_witness_bytes));
    if (!line) {
      found.why_old = file.string() + " cannot be read as a witness of the database";
    } else if (const auto has = stored(line->name); has < line->number) {
      found.why_old = "the database is at " + std::to_string(has) + ", and " + file.string() + " at " +
                      std::to_string(line->number);
    }
    if (line) found.number = std::max(found.number, line->number);
  } else if (found.is_copy) {
    found.why_old = "the database is the backup of " + copied_at + ", and " + file.string() +
                    " is missing, which would say whether anything was answered since";
  }
  if (const auto why = facts(recovery_fact).value_or(""); found.why_old.empty() && !why.empty())
    found.why_old = "the database is not accepted at node " + why;
  return found;
}

database_witness_actor spawn_database_witness(caf::actor_system& system, store_writer recorder, witness_state found,
                                              const wall_clock& clock, metrics& counts, write_gate& gate,
                                              const membership& nodes, runs_on where) {
  return spawn_on(where, system, database_witness_behavior, std::move(recorder), std::move(found), &clock, &counts,
                  &gate, &nodes);
}

}  // namespace gateway::actors
