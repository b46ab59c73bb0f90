// The store's actors under a real actor system.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <thread>

#include "../base/hang_timeout.hpp"
#include "persistence/store.hpp"
#include "samples.hpp"
#include "stores.hpp"

namespace gateway::persistence::test {

struct system_config : caf::actor_system_config {
  system_config() {
    add_message_types<caf::id_block::gateway>();
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", 1u);
  }
};

/// Polls until `holds` is true; false if it does not become true in time.
template <class Condition>
bool eventually(Condition holds, std::chrono::seconds patience = tests::hang_timeout) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  return true;
}

class open_actors {
 public:
  explicit open_actors(const settings& s) : handles(open_store(system_, prepared_store{s}, s, counts)) {}
  ~open_actors() { stop(); }

  /// Ends the actors in order, so that everything sent before is committed.
  void stop() {
    if (handles.readers.empty()) return;
    for (const auto& writer : handles.writers) caf::anon_send_exit(writer, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(handles.recorder, caf::exit_reason::user_shutdown);
    for (const auto& reader : handles.readers) caf::anon_send_exit(reader, caf::exit_reason::user_shutdown);
    for (const auto& reader : {handles.outbox, handles.archive, handles.entries})
      caf::anon_send_exit(reader, caf::exit_reason::user_shutdown);
    handles = {};
  }

  /// Sends all units, then waits for all, so that they share the writers' batches.
  std::vector<std::variant<commit_outcome, actor_errc>> commit(std::vector<unit_of_work> units) {
    std::vector<std::variant<commit_outcome, actor_errc>> answers(units.size());
    std::vector<std::function<void()>> waits;
    for (std::size_t i = 0; i < units.size(); ++i) {
      const auto key = units[i].subject;
      auto handle = std::make_shared<decltype(self->request(handles.writers[0], caf::infinite, units[i]))>(
          self->request(handles.writer_for(key), std::chrono::seconds{60}, std::move(units[i])));
      waits.emplace_back([&answers, i, handle] {
        handle->receive([&](commit_outcome outcome) { answers[i] = outcome; },
                        [&](caf::error& error) { answers[i] = static_cast<actor_errc>(error.code()); });
      });
    }
    for (auto& wait : waits) wait();
    return answers;
  }

  std::vector<std::variant<commit_outcome, actor_errc>> commit(const std::vector<unit_parts>& units) {
    return commit(std::vector<unit_of_work>{units.begin(), units.end()});
  }

  std::variant<commit_outcome, actor_errc> commit_one(const unit_of_work& unit) {
    return commit(std::vector{unit}).front();
  }

  /// The answer, or nothing if the store is unavailable. `to`: a reader or a writer.
  template <class Answer, class Actor, class Question>
  std::optional<Answer> ask(const Actor& to, Question question) {
    std::optional<Answer> found;
    const auto failed = [&](caf::error& error) {
      if (!is(error, actor_errc::store_unavailable)) throw std::runtime_error("another error than store_unavailable");
    };
    if constexpr (std::is_same_v<Actor, store_reader>)
      self->request(to, std::chrono::seconds{60}, store_question{std::move(question)})
          .receive([&](store_answer& answer) { found = std::get<Answer>(std::move(answer)); }, failed);
    else
      self->request(to, std::chrono::seconds{60}, std::move(question))
          .receive([&](Answer& answer) { found = std::move(answer); }, failed);
    return found;
  }

  metrics counts;

 private:
  system_config config_;
  caf::actor_system system_{config_};

 public:
  caf::scoped_actor self{system_};
  store_handles handles;
};

}  // namespace gateway::persistence::test
