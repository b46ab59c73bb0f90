#include "mailer.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "gateway/base/log.hpp"
#include "gateway/messages/ask_store.hpp"

namespace gateway::actors {

namespace {

constexpr std::chrono::seconds mail_search_interval{1};
constexpr std::chrono::seconds mail_store_timeout{30};
constexpr std::chrono::hours mail_purge_interval{1};
/// Mails that this node has leased at once. The client sends one after the other, each within a minute, so that the
/// last one ends before its lease.
constexpr std::size_t most_leased_mails = 4;
constexpr std::size_t longest_mail_error = 255;

/// What the client's thread hands to the actor.
struct mail_results {
  std::mutex access;
  std::vector<std::pair<std::string, mail_attempt>> arrived;  ///< by the mail's id
};

class mailer_state {
 public:
  static inline const char* name = "mailer";

  void start(mailer_actor::pointer self, const mailer_context& context) {
    self_ = self;
    context_.emplace(context);
    schedule();
  }

  void wake() {
    schedule();
    const auto now = context_->watch.trusted_now(self_->clock().now());
    if (!now) return;
    purge(*now);
    search(*now);
  }

  /// Leases no more mails, and answers when every attempt's outcome is recorded.
  caf::result<bool> drain() {
    drain_ = self_->make_response_promise<bool>();
    auto promise = *drain_;
    if (leased_.empty()) promise.deliver(true);
    return promise;
  }

  void take_results() {
    std::vector<std::pair<std::string, mail_attempt>> arrived;
    {
      const std::lock_guard hold{results_->access};
      arrived.swap(results_->arrived);
    }
    for (const auto& [id, attempt] : arrived) record(id, attempt);
  }

 private:
  void schedule() { self_->delayed_send(self_, mail_search_interval, wake_atom::value); }

  void search(time_point now) {
    if (drain_ || searching_ || leased_.size() >= most_leased_mails) return;
    searching_ = true;
    const auto limit = static_cast<std::uint32_t>(most_leased_mails - leased_.size());
    ask_store(self_, context_->reader, mail_store_timeout, find_due_mail{now, limit})
        .then(
            [this, now](mail_lookup& found) {
              searching_ = false;
              if (drain_) return;
              for (auto& mail : found.mails) lease(std::move(mail), now);
            },
            [this](const caf::error&) { searching_ = false; });
  }

  /// The attempt is counted in the database before it begins.
  void lease(queued_mail mail, time_point now) {
    unit_of_work unit;
    unit.kind = unit_kind::record;
    unit.claims.emplace_back(lease_mail{mail.id, mail.attempts, now + mail_lease});
    auto id = mail.id;
    mail.attempts += 1;
    if (!leased_.emplace(id, std::move(mail)).second) return;
    self_->request(context_->recorder, mail_store_timeout, std::move(unit))
        .then(
            [this, id, now](commit_outcome outcome) {
              // Without an answer from the store, the lease may be stored: the mail is then sent after the lease ends.
              if (outcome == commit_outcome::committed)
                begin(id, now);
              else
                release(id);
            },
            [this, id](const caf::error&) { release(id); });
  }

  void begin(const std::string& id, time_point now) {
    const auto& mail = leased_.at(id);
    if (mail.expires_at <= now) return end(id, "It could not be sent in time.", now);
    // The portal takes addresses that SMTP does not.
    if (!is_mail_address(mail.to)) return end(id, "Its address cannot be used in a mail.", now);
    const auto what = context_->sealer.open(mail);
    if (!what) return end(id, "Its content cannot be opened under the present master key.", now);
    context_->client.send(context_->composer.compose(*what, id, now),
                          [results = results_, id, self = caf::actor_cast<mailer_actor>(self_)](mail_attempt made) {
                            {
                              const std::lock_guard hold{results->access};
                              results->arrived.emplace_back(id, std::move(made));
                            }
                            caf::anon_send(self, work_atom::value);
                          });
  }

  void record(const std::string& id, const mail_attempt& attempt) {
    const auto found = leased_.find(id);
    if (found == leased_.end()) return;
    const auto& mail = found->second;
    const auto now = context_->watch.trusted_now(self_->clock().now()).value_or(mail.due_at);
    using enum mail_attempt::outcome;
    if (attempt.what == sent) {
      log::info("mail_sent", {{"mail", id}, {"kind", to_string(mail.kind)}, {"attempts", mail.attempts}});
      return finish({id, mail.attempts, mail_status::sent, now, now, {}, false});
    }
    // The end of the process interrupts an attempt, so its failure does not show a fault of the mail server.
    const auto pause = drain_ ? duration_ms{0} : pause_before_next_mail(static_cast<std::size_t>(mail.attempts));
    const auto next = now + pause;
    if (attempt.what == refused || next >= mail.expires_at) return end(id, attempt.error, now);
    log::warn("mail_not_sent", {{"mail", id}, {"kind", to_string(mail.kind)}, {"attempts", mail.attempts}});
    finish({id, mail.attempts, mail_status::pending, next, std::nullopt, bounded(attempt.error), true});
  }

  /// The mail has failed. An operator may send it again, unless it holds a link that has expired.
  void end(const std::string& id, const std::string& error, time_point now) {
    const auto& mail = leased_.at(id);
    log::error("mail_failed", {{"mail", id}, {"kind", to_string(mail.kind)}, {"attempts", mail.attempts}});
    const bool keeps = !holds_link(mail.kind) || mail.expires_at > now;
    finish({id, mail.attempts, mail_status::failed, now, now, bounded(error), keeps});
  }

  void finish(finish_mail what) {
    const auto id = what.id;
    unit_of_work unit;
    unit.kind = unit_kind::record;
    unit.claims.emplace_back(std::move(what));
    // If the outcome cannot be recorded, the mail is sent again after its lease.
    self_->request(context_->recorder, mail_store_timeout, std::move(unit))
        .then([this, id](commit_outcome) { release(id); }, [this, id](const caf::error&) { release(id); });
  }

  void release(const std::string& id) {
    leased_.erase(id);
    if (drain_ && leased_.empty()) drain_->deliver(true);
  }

  static std::string bounded(std::string text) {
    if (text.size() > longest_mail_error) text.resize(longest_mail_error);
    return text;
  }

  void purge(time_point now) {
    if (purged_at_ && *purged_at_ <= now && now - *purged_at_ < mail_purge_interval) return;
    purged_at_ = now;
    unit_of_work unit;
    unit.kind = unit_kind::record;
    unit.claims.emplace_back(purge_mail{now - ended_mail_kept, now});
    self_->request(context_->recorder, mail_store_timeout, std::move(unit))
        .then([](commit_outcome) {}, [](const caf::error&) {});
  }

  mailer_actor::pointer self_ = nullptr;
  std::optional<mailer_context> context_;
  std::map<std::string, queued_mail> leased_;  ///< by id; `attempts` includes the present one
  std::shared_ptr<mail_results> results_ = std::make_shared<mail_results>();
  std::optional<time_point> purged_at_;
  std::optional<caf::typed_response_promise<bool>> drain_;
  bool searching_ = false;
};

mailer_actor::behavior_type mailer_behavior(mailer_actor::stateful_pointer<mailer_state> self,
                                            const mailer_context& context) {
  self->state.start(self, context);
  return {[self](wake_atom) { self->state.wake(); }, [self](work_atom) { self->state.take_results(); },
          [self](drain_atom) { return self->state.drain(); }};
}

}  // namespace

mailer_actor spawn_mailer(caf::actor_system& system, const mailer_context& context) {
  return system.spawn(mailer_behavior, context);
}

}  // namespace gateway::actors
