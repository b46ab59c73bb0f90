// How the reconciler purges old idempotency keys, payments and entries of the audit log: what it requests of the
// writer, and when.
#include <catch2/catch.hpp>

#include "world.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

/// The requests that a writer received, and its answers. Held answers are sent at a work_atom.
struct purge_script {
  std::vector<purge_commands> asked;
  int full_answers = 0;  ///< how many times the full requested number is deleted; then a few
  int partial_answers = 0;  ///< how many times payments are left
  bool holds = false;    ///< answers wait
  bool fails = false;
  std::vector<caf::typed_response_promise<purge_result>> held;
};

store_writer::behavior_type scripted_writer(store_writer::pointer self, std::shared_ptr<purge_script> script) {
  return {[](const unit_of_work&) { return commit_outcome::unavailable; },
          [self, script](const purge_commands& what) -> caf::result<purge_result> {
            script->asked.push_back(what);
            if (script->fails) return make_error(actor_errc::store_unavailable);
            if (script->holds) {
              script->held.push_back(self->make_response_promise<purge_result>());
              return script->held.back();
            }
            purge_result made{script->full_answers-- > 0 ? what.limit : 7};
            made.payments_left = script->partial_answers-- > 0;
            return made;
          },
          [](const redeliver_rows&) { return redeliver_rows_result{}; },
          [](const clear_free_pages&) { return clear_free_pages_result{}; },
          [script](work_atom) {
            for (auto& answer : std::exchange(script->held, {})) answer.deliver(purge_result{7});
          }};
}

/// A reconciler whose purges a script answers, in a world of its own.
struct scripted_purge {
  ~scripted_purge() { caf::anon_send_exit(reconciler, caf::exit_reason::kill); }

  void start() {
    store_handles store;
    writer = w.system().spawn(scripted_writer, script);
    store.writers.push_back(writer);
    store.readers.push_back(w.system().spawn(failing_reader, store_line{std::make_shared<failing_store>()}));
    store.recorder = store.writers.front();
    store.outbox = store.archive = store.readers.front();
    reconciler = actors::spawn_reconciler(w.system(), store, w.router(), w.clock(), w.watch(), config);
    w.settle();
  }

  settings config = unhurried();
  world w{std::make_shared<failing_store>(), config};
  std::shared_ptr<purge_script> script = std::make_shared<purge_script>();
  store_writer writer;
  reconciler_actor reconciler;
};

command_record finished_command(const std::string& key, time_point created_at) {
  command_record c;
  c.key = world::write(key).key;
  c.created_at = created_at;
  c.result = answer{200, "{}"};
  c.finished_at = created_at;
  return c;
}

}  // namespace

TEST_CASE("at its start and once a minute the reconciler purges the keys that are older than they are kept") {
  scripted_purge p;
  p.start();
  REQUIRE(p.script->asked.size() == 1);
  CHECK(p.script->asked.front().before == p.w.clock().now() - p.config.idempotency_kept);
  CHECK(p.script->asked.front().limit > 0);
  p.w.advance(59s);
  CHECK(p.script->asked.size() == 1);
  p.w.advance(2s);
  REQUIRE(p.script->asked.size() == 2);
  CHECK(p.script->asked.back().before > p.script->asked.front().before);
  p.w.advance(5min);
  CHECK(p.script->asked.size() == 7);
}

TEST_CASE("payments and the audit log are purged only where a setting says for how long they are kept") {
  scripted_purge p;
  p.start();
  REQUIRE(p.script->asked.size() == 1);
  CHECK_FALSE(p.script->asked.front().payments);
  CHECK_FALSE(p.script->asked.front().audit);
  scripted_purge limited;
  limited.config.payments_kept = 60 * 24h;
  limited.config.audit_kept = 365 * 24h;
  limited.start();
  REQUIRE(limited.script->asked.size() == 1);
  CHECK(limited.script->asked.front().payments == limited.w.clock().now() - 60 * 24h);
  CHECK(limited.script->asked.front().audit == limited.w.clock().now() - 365 * 24h);
}

TEST_CASE("a purge whose payments have not come to their end is continued at once") {
  scripted_purge p;
  p.config.payments_kept = 60 * 24h;
  p.script->partial_answers = 3;
  p.start();
  CHECK(p.script->asked.size() == 4);
  p.w.advance(59s);
  CHECK(p.script->asked.size() == 4);
}

TEST_CASE("keys that are kept for less than four minutes are looked for four times in that time") {
  scripted_purge p;
  p.config.idempotency_kept = 40s;
  p.start();
  p.w.advance(9s);
  CHECK(p.script->asked.size() == 1);
  p.w.advance(2s);
  CHECK(p.script->asked.size() == 2);
}

TEST_CASE("while purges delete the full number the reconciler continues at once, and stops when one does not") {
  scripted_purge p;
  p.script->full_answers = 500;
  p.start();
  CHECK(p.script->asked.size() == 501);
  p.w.advance(59s);
  CHECK(p.script->asked.size() == 501);
}

TEST_CASE("one purge at a time is under way, however long it takes") {
  scripted_purge p;
  p.script->holds = true;
  p.start();
  p.w.advance(10min);
  REQUIRE(p.script->asked.size() == 1);
  p.script->holds = false;
  caf::anon_send(p.writer, work_atom::value);
  p.w.advance(1s);
  CHECK(p.script->asked.size() == 2);
}

TEST_CASE("a failed purge is repeated a minute later") {
  scripted_purge p;
  p.script->fails = true;
  p.start();
  p.w.advance(59s);
  CHECK(p.script->asked.size() == 1);
  p.w.advance(2s);
  CHECK(p.script->asked.size() == 2);
}

TEST_CASE("a backlog of old keys is purged at once, and younger or unfinished ones stay") {
  world w;
  const auto old = w.clock().now() - settings{}.idempotency_kept - 1s;
  for (int i = 0; i < 12'000; ++i) {
    const auto c = finished_command("old-" + std::to_string(i), old);
    w.rows().commands.emplace(memory_store::id(c.key), c);
  }
  const auto young = finished_command("young", old + 2s);
  auto open = finished_command("open", old);
  open.result.reset();
  for (const auto& c : {young, open}) w.rows().commands.emplace(memory_store::id(c.key), c);
  w.start_reconciler();
  CHECK(w.rows().commands.size() == 2);
  CHECK(w.rows().commands.contains(memory_store::id(young.key)));
  CHECK(w.rows().commands.contains(memory_store::id(open.key)));
}
