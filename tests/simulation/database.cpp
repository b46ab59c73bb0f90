#include "database.hpp"

#include <deque>
#include <functional>
#include <utility>

#include <caf/all.hpp>

namespace gateway::simulation {

namespace {

std::string shown(const testing::unit_parts& unit) {
  std::ostringstream text;
  if (const auto& c = unit.insert_command)
    text << (c->result ? "store " : "begin ") << to_string(c->what) << ' ' << c->subject_id << " key " << c->key.key;
  if (const auto& f = unit.finish_command) text << "finish key " << f->key.key << " \"" << f->result->body << '"';
  if (const auto* row = unit.changed())
    text << " {" << row->key.id << " v" << row->version << ' ' << to_string(row->state) << (row->open ? ", open " : "")
         << (row->open ? to_string(row->open->what) : std::string_view{}) << '}';
  for (const auto& d : unit.deliveries) text << " deliver " << d.id << " to " << d.to.value;
  for (const auto& d : unit.update_deliveries)
    text << " delivery " << d.id << " v" << d.version << ' ' << to_string(d.status) << " after " << d.attempts;
  return text.str();
}

std::string shown(const unit_of_work& unit) { return shown(testing::unit_parts{unit}); }

/// The payment that the unit is about.
std::optional<entity_key> subject_of(const testing::unit_parts& unit) {
  if (const auto* row = unit.changed()) return row->key;
  if (const auto& c = unit.insert_command)
    return entity_key{c->key.merchant, c->key.env, c->subject_kind, c->subject_id};
  return std::nullopt;
}

class writing {
 public:
  static inline const char* name = "writer";
  store_writer::pointer self = nullptr;
  std::optional<store_line> line;

  caf::result<commit_outcome> take(unit_of_work& unit) {
    if (line->random.chance(line->faults.commit_refused)) return commit_outcome::rejected;
    auto promise = self->make_response_promise<commit_outcome>();
    waiting_.push_back({std::move(unit), promise});
    if (waiting_.size() == 1) schedule();
    return promise;
  }

  /// One transaction.
  void drain() {
    const auto how = draw_fate();
    auto size = static_cast<std::size_t>(line->random.between(1, 8));
    while (size-- > 0 && !waiting_.empty()) {
      auto [unit, promise] = std::move(waiting_.front());
      waiting_.pop_front();
      promise.deliver(settle(std::move(unit), how));
    }
    if (!waiting_.empty()) schedule();
  }

 private:
  enum class fate { commits, fails, unheard, late };
  struct queued {
    unit_of_work unit;
    caf::typed_response_promise<commit_outcome> promise;
  };

  void schedule() {
    const auto delay = line->random.between(0, line->faults.store_latency.count());
    line->time.in(duration_ms{delay}, [self = self, alive = line->alive] {
      if (*alive) caf::anon_send(store_writer{self}, work_atom::value);
    });
  }

  fate draw_fate() {
    if (line->random.chance(line->faults.commit_failed)) return fate::fails;
    if (line->random.chance(line->faults.commit_unheard)) return fate::unheard;
    if (line->random.chance(line->faults.commit_late)) return fate::late;
    return fate::commits;
  }

  commit_outcome settle(unit_of_work unit, fate how) {
    // A node that is gone writes no more.
    if (!*line->alive) return commit_outcome::unavailable;
    switch (how) {
      case fate::commits: {
        const auto recorded = testing::unit_parts{unit}.update_deliveries;
        const auto outcome = line->rows.commit(line->node, std::move(unit), *line->unsaved);
        // A lost claim tells the node as much: the row is there, or further.
        for (const auto& row : recorded) line->memory->versions[row.id] = row.version;
        return outcome;
      }
      case fate::fails: line->log.write(line->node, "the database fails before: ", shown(unit)); break;
      case fate::unheard:
        line->log.write(line->node, "the database fails after:");
        line->rows.commit(line->node, std::move(unit), *line->unsaved);
        break;
      case fate::late: {
        line->log.write(line->node, "held up in the database: ", shown(unit));
        // It has left the node: a crash does not take it back.
        line->time.in(duration_ms{line->random.between(1, 20'000)},
                      [&rows = line->rows, node = line->node, unsaved = line->unsaved,
                       unit = std::move(unit)]() mutable { rows.commit(node, std::move(unit), *unsaved); });
      }
    }
    return commit_outcome::unavailable;
  }

  std::deque<queued> waiting_;
};

store_writer::behavior_type writer_behavior(store_writer::stateful_pointer<writing> self, store_line line) {
  self->state.self = self;
  self->state.line.emplace(std::move(line));
  return {[self](unit_of_work& unit) { return self->state.take(unit); }, [self](work_atom) { self->state.drain(); }};
}

using slow_reader = store_reader::extend<caf::reacts_to<work_atom>>;

class reading {
 public:
  static inline const char* name = "reader";
  slow_reader::pointer self = nullptr;
  std::optional<store_line> line;

  template <class Query>
  auto take(const Query& query) -> caf::result<decltype(std::declval<database&>().run(query))> {
    using found_type = decltype(line->rows.run(query));
    if (!*line->alive || line->random.chance(line->faults.read_failed))
      return make_error(actor_errc::store_unavailable);
    auto found = line->rows.run(query);
    if (line->random.chance(0.5)) return found;
    // What it read was true when it read it.
    auto promise = self->template make_response_promise<found_type>();
    waiting_.push_back([promise, found = std::move(found)]() mutable { promise.deliver(std::move(found)); });
    line->time.in(duration_ms{line->random.between(0, line->faults.store_latency.count())},
                  [self = self, alive = line->alive] {
                    if (*alive) caf::anon_send(slow_reader{self}, work_atom::value);
                  });
    return promise;
  }

  void answer() {
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    next();
  }

 private:
  std::deque<std::function<void()>> waiting_;
};

slow_reader::behavior_type reader_behavior(slow_reader::stateful_pointer<reading> self, store_line line) {
  self->state.self = self;
  self->state.line.emplace(std::move(line));
  return {
      [self](const find_entity& q) { return self->state.take(q); },
      [self](const find_command& q) { return self->state.take(q); },
      [self](const find_timeline& q) { return self->state.take(q); },
      [self](const find_due& q) { return self->state.take(q); },
      [self](const find_directory& q) { return self->state.take(q); },
      [self](const purge_commands& q) { return self->state.take(q); },
      [self](const find_due_deliveries& q) { return self->state.take(q); },
      [self](const find_backlog& q) { return self->state.take(q); },
      [self](const find_deliveries& q) { return self->state.take(q); },
      [self](const find_events& q) { return self->state.take(q); },
      [self](const redeliver_rows& q) { return self->state.take(q); },
      [self](work_atom) { self->state.answer(); },
  };
}

}  // namespace

commit_outcome database::commit(std::string_view node, unit_of_work whole, unsaved_units& unsaved) {
  testing::unit_parts unit{whole};
  const auto* row = unit.changed();
  if (missing_ == guard::version_claim && unit.update_payment)
    if (const auto stored = rows_.payments.find(testing::memory_store::id(row->key)); stored != rows_.payments.end())
      stored->second.version = row->version - 1;
  if (missing_ == guard::begin_commit && row) {
    const auto key = testing::memory_store::id(row->key);
    if (whole.kind == unit_kind::begin) {
      log_.write(node, shown(unit), ": kept in memory");
      unsaved.insert_or_assign(key, std::move(whole));
      return commit_outcome::committed;
    }
    if (auto begun = unsaved.extract(key))
      if (const auto outcome = rows_.commit(begun.mapped()); outcome != commit_outcome::committed) return outcome;
  }
  // Two transactions where one is promised: the second may never come.
  if (missing_ == guard::delivery_commit) unit.deliveries.clear();
  if (missing_ == guard::delivery_claim)
    for (const auto& changed : unit.update_deliveries)
      if (const auto stored = rows_.deliveries.find(changed.id); stored != rows_.deliveries.end())
        stored->second.version = changed.version - 1;
  const auto subject = subject_of(unit);
  const auto before = subject ? testing::payment_in(rows_.run(find_entity{*subject})) : std::nullopt;
  const auto outcome = rows_.commit(unit);
  log_.write(node, shown(unit), ": ", to_string(outcome));
  if (outcome == commit_outcome::committed) {
    held_.committed(before, unit);
    told_.committed(unit);
  }
  return outcome;
}

redeliver_rows_result database::run(const redeliver_rows& what) {
  const auto made = rows_.run(what);
  told_.redelivered();
  return made;
}

store_writer spawn_writer(caf::actor_system& system, store_line line) {
  return system.spawn(writer_behavior, std::move(line));
}
store_reader spawn_reader(caf::actor_system& system, store_line line) {
  return system.spawn(reader_behavior, std::move(line));
}

}  // namespace gateway::simulation
