// One notification. It is stored as it came, then whoever posted it is answered, and then it is applied: the provider
// tells what it is about, and what that is asks the provider what has become of it. Nothing is believed because a
// notification says so, so that one that comes twice, late or before its time changes nothing that is not so.
//
// Until it is settled its row is due, whoever stops: the reconciler comes back to it.

#include "notification_actor.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "entity/entity_queue.hpp"
#include "entity/spawn_entity.hpp"
#include "gateway/ask_store.hpp"
#include "gateway/base/log.hpp"
#include "gateway/connected_account.hpp"

namespace gateway::actors {

namespace {

/// What could not be applied is tried again after this at first, and each time after twice as long, up to the longest.
constexpr std::chrono::seconds first_pause{5};
constexpr std::chrono::minutes longest_pause{5};

/// A week of waiting has four times as many. A clock that is set right may make a moment look like a week: that alone
/// lets nothing expire.
constexpr unsigned fewest_attempts_of_a_week = 500;

/// `attempts`: those before this one.
duration_ms pause_after(unsigned attempts) noexcept {
  constexpr unsigned most_doublings = 6;
  return std::min<duration_ms>(first_pause * (1U << std::min(attempts, most_doublings)), longest_pause);
}

/// For an operator.
std::string in_words_of(const entity_key& what) {
  return std::string{to_string(what.kind)} + ' ' + what.merchant.value + '/' + std::string{to_string(what.env)} + '/' +
         what.id;
}

/// An account, while those whose it is are told how it stands.
struct account_news {
  std::string account;
  std::vector<merchant_id> owners;  ///< who are not told yet
  std::optional<account_standing> standing{};  ///< once the provider has been asked
  bool has_told = false;                       ///< one of them at least
  std::string about{};                         ///< in words for an operator
};

class notification_entity : public entity_queue<notification_entity, notification> {
  using queue = entity_queue<notification_entity, notification>;
  friend queue;

 public:
  static inline const char* name = "notification";

  void start(entity_actor::pointer self, std::shared_ptr<const notification_context> context, router_actor router,
             const entity_key& key) {
    context_ = std::move(context);
    queue::start(self, *context_, std::move(router), key);
  }

  /// Who posts it again while it is applied is not held up: it is stored.
  caf::result<entity_reply> accept(entity_request& request) {
    if (applied_ && command_if<receive_notification>(request.what)) return entity_reply{entity_row{applied_}};
    return queue::accept(request);
  }

 private:
  using commands = notification_command;
  static constexpr auto not_found = problem::notification_not_found;
  /// No command that makes one carries an idempotency key.
  static constexpr auto already_exists = problem::request_in_progress;
  static constexpr bool calls_providers = false;
  static constexpr bool has_timeline = false;

  static bool inserts(const entity_command& what) { return command_if<receive_notification>(what) != nullptr; }
  void operation_over() noexcept { applied_.reset(); }

  using queue::run;
  void run(job work, std::type_identity<view_timeline>) { fail(work, not_found); }

  /// Each event counts once: one that is there stays as it is.
  void run(job work, std::type_identity<receive_notification>) {
    if (row()) return view(std::move(work));
    auto made = made_of(*command_if<receive_notification>(work.request.what));
    commit_change(unit_of(unit_kind::conclude), std::move(made), {},
                  [this, work = std::move(work)](commit_outcome outcome) mutable {
                    if (outcome == commit_outcome::entity_exists) return again(std::move(work), true);
                    if (outcome != commit_outcome::committed) return not_committed(work, outcome);
                    view(std::move(work));
                    apply_soon();
                  });
  }

  void run(job work, std::type_identity<settle_due>) {
    if (!row()) return fail(work, not_found);
    const bool is_due = row()->due_at && *row()->due_at <= context_->clock.now();
    is_due ? apply(std::move(work)) : view(std::move(work));
  }

  void run(job work, std::type_identity<replay_notification>) {
    if (!row()) return fail(work, not_found);
    apply(std::move(work));
  }

  notification made_of(const receive_notification& posted) const {
    const auto now = context_->clock.now();
    notification made;
    made.key = key();
    made.version = 1;
    made.provider = posted.provider;
    made.event_id = posted.event_id;
    made.type = posted.type;
    made.account = posted.account;
    made.body = posted.body;
    made.received_at = now;
    made.due_at = now;
    return made;
  }

  /// As the reconciler would, but now. Nobody waits for the answer.
  void apply_soon() {
    self()
        ->request(router(), caf::infinite, entity_request{key(), std::nullopt, settle_due{}})
        .then([](const entity_reply&) {}, [](const caf::error&) {});
  }

  // ---- applying -----------------------------------------------------------------------------------

  void apply(job work) {
    applied_ = row();
    const auto& gate = context_->providers[static_cast<std::size_t>(applied_->provider)];
    if (!gate) return try_later(std::move(work));
    self()
        ->request(gate, caf::infinite, notification_question{*applied_})
        .then(
            [this, work](const notification_subject& subject) mutable {
              if (const auto* of = std::get_if<about_payment>(&subject)) return ask_payment(std::move(work), of->key);
              if (const auto* of = std::get_if<about_reference>(&subject))
                return find_payment(std::move(work), of->provider_ref);
              if (const auto* of = std::get_if<about_subscription>(&subject)) {
                auto told = of->what;
                told.account = applied_->account;
                return tell(std::move(work), of->key, subscription_command{std::move(told)},
                            problem::subscription_not_found);
              }
              if (const auto* of = std::get_if<about_account>(&subject)) return find_account(std::move(work), *of);
              if (std::holds_alternative<about_nothing>(subject))
                return settle(std::move(work), notification_state::ignored);
              try_later(std::move(work));
            },
            [this, work](const caf::error&) mutable { try_later(std::move(work)); });
  }

  void ask_payment(job work, const entity_key& of) {
    tell(std::move(work), of, payment_command{ask_provider{}}, problem::payment_not_found);
  }

  /// The provider names no merchant, but one of those that are connected to it has the payment. Operators' lists are
  /// read by the same connection: a reference that nobody knows is looked up for a day, and holds up no payment.
  void find_payment(job work, const std::string& provider_ref) {
    ask_store(self(), context_->store.archive, caf::infinite,
              find_payment_key{key().env, applied_->provider, provider_ref})
        .then(
            [this, work, about = "reference " + provider_ref](const payment_key_lookup& lookup) mutable {
              if (lookup.found) return ask_payment(std::move(work), *lookup.found);
              if (has_waited(notification_patience))
                return settle(std::move(work), notification_state::expired, std::move(about));
              try_later(std::move(work), std::move(about));
            },
            [this, work](const caf::error&) mutable { try_later(std::move(work)); });
  }

  /// `unknown`: how the router says that there is no such entity.
  void tell(job work, const entity_key& of, entity_command what, problem unknown) {
    self()
        ->request(router(), caf::infinite, entity_request{of, std::nullopt, std::move(what)})
        .then(
            [this, work, unknown, about = in_words_of(of)](const entity_reply& reply) mutable {
              if (std::holds_alternative<entity_row>(reply.what))
                return settle(std::move(work), notification_state::applied, std::move(about));
              const auto* why = std::get_if<problem>(&reply.what);
              const bool is_unknown = why && *why == unknown;
              if (is_unknown && has_waited(notification_patience))
                return settle(std::move(work), notification_state::expired, std::move(about));
              try_later(std::move(work), std::move(about));
            },
            [this, work, about = in_words_of(of)](const caf::error&) mutable {
              try_later(std::move(work), std::move(about));
            });
  }

  // ---- accounts -----------------------------------------------------------------------------------

  void find_account(job work, const about_account& of) {
    if (of.merchant.value.empty()) return find_owners(std::move(work), of.account);
    next_owner(std::move(work), account_news{of.account, {of.merchant}, {}, false, in_words(of.merchant)});
  }

  /// The provider does not say whose the account is, but the connections do. It may be several merchants'.
  void find_owners(job work, const std::string& account) {
    find_directory question;
    question.account = named_account{key().env, applied_->provider, account};
    ask_store(self(), context_->store.reader_for(key()), caf::infinite, std::move(question))
        .then(
            [this, work, account](const directory_lookup& found) mutable {
              account_news news{account, {}, {}, false, {}};
              for (const auto& each : found.connections) {
                if (!news.about.empty()) news.about += ", ";
                news.about += in_words(each.merchant);
                news.owners.push_back(each.merchant);
              }
              next_owner(std::move(work), std::move(news));
            },
            [this, work](const caf::error&) mutable { try_later(std::move(work)); });
  }

  /// Of an account that is no merchant's here the provider is not asked.
  void next_owner(job work, account_news news) {
    if (news.owners.empty()) {
      const auto as = news.has_told ? notification_state::applied : notification_state::ignored;
      return settle(std::move(work), as, std::move(news.about));
    }
    look_up wanted{{directory_name::kind::merchant, news.owners.back().value}};
    self()
        ->request(context_->operators, caf::infinite, std::move(wanted))
        .then(
            [this, work, news](bool) mutable {
              const auto who = context_->merchants.find_merchant(news.owners.back());
              const auto* at = who ? find_connection(*who, key().env, applied_->provider) : nullptr;
              if (!at || at->account.empty() || at->account != news.account) {
                news.owners.pop_back();
                return next_owner(std::move(work), std::move(news));
              }
              news.standing ? tell(std::move(work), std::move(news)) : ask_after(std::move(work), std::move(news));
            },
            [this, work, news](const caf::error&) mutable { try_later(std::move(work), std::move(news.about)); });
  }

  void ask_after(job work, account_news news) {
    account_question question;
    question.merchant = news.owners.back();
    question.env = key().env;
    question.provider = applied_->provider;
    question.account = news.account;
    self()
        ->request(context_->providers[static_cast<std::size_t>(applied_->provider)], caf::infinite, std::move(question))
        .then(
            [this, work, news](const account_answer& said) mutable {
              if (said.standing != account_standing::unknown) {
                news.standing = said.standing;
                return tell(std::move(work), std::move(news));
              }
              if (has_waited(notification_patience))
                return settle(std::move(work), notification_state::expired, std::move(news.about));
              try_later(std::move(work), std::move(news.about));
            },
            [this, work, news](const caf::error&) mutable { try_later(std::move(work), std::move(news.about)); });
  }

  /// The directory lets the connection follow, if it still is with that account.
  void tell(job work, account_news news) {
    operator_command told{
        follow_account{news.owners.back(), key().env, applied_->provider, news.account, *news.standing}};
    self()
        ->request(context_->operators, caf::infinite, std::move(told))
        .then(
            [this, work, news](const operator_result& done) mutable {
              news.has_told |= !std::holds_alternative<operator_problem>(done);
              news.owners.pop_back();
              next_owner(std::move(work), std::move(news));
            },
            [this, work, news](const caf::error&) mutable { try_later(std::move(work), std::move(news.about)); });
  }

  std::string in_words(const merchant_id& owner) const {
    return "account " + owner.value + '/' + std::string{to_string(key().env)};
  }

  // ---- what came of it ----------------------------------------------------------------------------

  /// By a clock that may have jumped ahead nothing expires.
  bool has_waited(std::chrono::hours patience) const {
    const auto now = context_->watch.trusted_now(self()->clock().now());
    return now && *now >= applied_->received_at + patience;
  }

  void try_later(job work, std::string about = {}) {
    if (has_waited(longest_notification_wait) && applied_->attempts >= fewest_attempts_of_a_week)
      return settle(std::move(work), notification_state::expired, std::move(about));
    auto next = *applied_;
    next.state = notification_state::waiting;
    next.due_at = context_->clock.now() + pause_after(next.attempts);
    next.settled_at.reset();
    put_row(std::move(work), std::move(next), std::move(about));
  }

  void settle(job work, notification_state as, std::string about = {}) {
    if (as == notification_state::expired) {
      context_->meters.provider_notifications(to_string(applied_->provider), to_string(key().env), "expired")
          .Increment();
      log::warn("notification_expired", {{"id", key().id},
                                         {"mode", to_string(key().env)},
                                         {"type", applied_->type},
                                         {"about", about.empty() ? applied_->about : about}});
    }
    auto next = *applied_;
    next.state = as;
    next.due_at.reset();
    next.settled_at = context_->clock.now();
    put_row(std::move(work), std::move(next), std::move(about));
  }

  /// `about` empty: no more is known of that than before.
  void put_row(job work, notification next, std::string about) {
    next.version += 1;
    next.attempts += 1;
    if (!about.empty()) next.about = std::move(about);
    commit_change(unit_of(unit_kind::finish), std::move(next), {},
                  [this, work = std::move(work)](commit_outcome outcome) mutable {
                    if (outcome == commit_outcome::committed) return view(std::move(work));
                    if (outcome == commit_outcome::lost_claim) return again(std::move(work));
                    not_committed(work, outcome);
                  });
  }

  std::shared_ptr<const notification_context> context_;
  row_ptr applied_;  ///< while it is applied
};

}  // namespace

entity_spawner notification_spawner(std::shared_ptr<const notification_context> context) {
  return [context = std::move(context)](caf::actor_system& system, const router_actor& router, const entity_key& key,
                                        std::uint64_t activation) {
    return spawn_entity<notification_entity>(system, context, router, key, activation);
  };
}

}  // namespace gateway::actors
