// One notification. It is stored as received, then the post is answered, and then it is applied: the provider's adapter
// names its subject. A payment or an account is then read from the provider, so a notification about it that arrives
// twice, late or early does no harm. A subscription uses the notification's content, and counts each notification once.
//
// Its row stays due until it is settled, so the reconciler returns to it even after a crash.

#include "notification_actor.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "entity/asks/entity_asks.hpp"
#include "entity/asks/entity_store.hpp"
#include "entity/asks/provider_calls.hpp"
#include "entity/queue/entity_of.hpp"
#include "entity/queue/spawn_entity.hpp"
#include "gateway/base/log.hpp"
#include "gateway/directory/connected_account.hpp"

namespace gateway::actors {

namespace {

/// A notification that could not be applied is tried again after first_pause, which doubles each time up to
/// longest_pause.
constexpr std::chrono::seconds first_pause{5};
constexpr std::chrono::minutes longest_pause{5};

/// A week of waiting has about 2000 attempts. If the clock is corrected, a moment can look like a week, so a
/// notification expires only after this number of attempts.
constexpr unsigned fewest_attempts_of_a_week = 500;

/// An account, while its owners are being updated with its state.
struct account_change {
  std::string account;
  std::vector<merchant_id> owners;  ///< not updated yet
  std::optional<account_standing> standing{};  ///< set once the provider has answered
  bool has_followed = false;  ///< at least one of them
  std::string about{};  ///< text for an operator
};

constexpr entity_rules notification_rules{"notification", problem::notification_not_found};

class notification_entity final : public entity_of<notification_entity, notification, notification_command> {
  using base = entity_of<notification_entity, notification, notification_command>;
  friend base;

 public:
  explicit notification_entity(std::shared_ptr<const notification_context> context)
      : base{notification_rules, *context}, context_{std::move(context)} {}

 private:
  bool inserts(const entity_command& what) const override { return is_posted(what); }
  /// A repeated post while the notification is being applied is answered at once, because it is already stored.
  entity_row answer_at_once(const entity_request& request) const override {
    if (applied_ && is_posted(request.what)) return applied_;
    return {};
  }
  void operation_over() noexcept override { applied_.reset(); }

  static bool is_posted(const entity_command& what) {
    const auto* own = std::get_if<notification_command>(&what);
    return own && std::holds_alternative<receive_notification>(*own);
  }

  /// Each event counts once: an existing row stays as it is.
  void run(job work, const receive_notification& posted) {
    if (row()) return view(std::move(work));
    commit_change(unit_of(unit_kind::conclude), shared(made_of(posted)), {},
                  if_committed(std::move(work), [this](job stored) {
                    view(std::move(stored));
                    settle_soon(self(), router(), key());
                  }));
  }

  void on_due(job work) override {
    if (!row()) return fail(*work, notification_rules.not_found);
    const bool is_due = row()->due_at && *row()->due_at <= context_->clock.now();
    is_due ? apply(std::move(work)) : view(std::move(work));
  }

  void run(job work, const replay_notification&) {
    if (!row()) return fail(*work, notification_rules.not_found);
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

  // ---- applying -----------------------------------------------------------------------------------

  void apply(job work) {
    applied_ = shared_row();
    ask(std::move(work), std::nullopt);
  }

  void ask(job work, std::optional<entity_key> subscription) {
    const auto& gate = context_->providers[static_cast<std::size_t>(applied_->provider)];
    if (!gate) return try_later(std::move(work));
    ask_gate(self(), gate, notification_question{*applied_, std::move(subscription), {}},
             [this, work = std::move(work)](const notification_subject* subject) mutable {
               if (!subject) return try_later(std::move(work));
               if (const auto* of = std::get_if<about_payment>(subject)) return ask_payment(std::move(work), of->key);
               if (const auto* of = std::get_if<about_reference>(subject))
                 return find_payment(std::move(work), of->provider_ref);
               if (const auto* of = std::get_if<about_subscription>(subject)) {
                 auto forwarded = of->what;
                 forwarded.account = applied_->account;
                 return forward(std::move(work), of->key, std::move(forwarded), problem::subscription_not_found);
               }
               if (const auto* of = std::get_if<about_unmarked_subscription>(subject))
                 return find_subscription(std::move(work), of->provider_id);
               if (const auto* of = std::get_if<about_customer>(subject)) return find_customer(std::move(work), *of);
               if (const auto* of = std::get_if<about_account>(subject)) return find_account(std::move(work), *of);
               if (std::holds_alternative<no_subject>(*subject))
                 return settle(std::move(work), notification_state::ignored);
               try_later(std::move(work));
             });
  }

  void ask_payment(job work, const entity_key& of) {
    forward(std::move(work), of, ask_provider{}, problem::payment_not_found);
  }

  /// The provider does not name the merchant, so the payment is looked up by its reference. The look-up uses the
  /// archive's database connection, because an unknown reference is looked up for a day and must not delay payments.
  void find_payment(job work, const std::string& provider_ref) {
    find_payment_of(
        self(), context_->store.archive, key().env, applied_->provider, provider_ref,
        [this, work = std::move(work), about = "reference " + provider_ref](const payment_key_lookup* lookup) mutable {
          if (!lookup) return try_later(std::move(work));
          if (lookup->found) return ask_payment(std::move(work), *lookup->found);
          try_until_patience_ends(std::move(work), std::move(about));
        });
  }

  /// One that no row has was made without the gateway.
  void find_subscription(job work, const std::string& provider_id) {
    find_subscription_of(self(), reader(), provider_id,
                         [this, work = std::move(work)](const subscription_keys_lookup* lookup) mutable {
                           if (!lookup) return try_later(std::move(work));
                           for (const auto& each : lookup->keys)
                             if (each.env == key().env) return ask(std::move(work), each);
                           settle(std::move(work), notification_state::ignored);
                         });
  }

  /// One that no row has was made without the gateway.
  void find_customer(job work, const about_customer& of) {
    forget_at_provider gone{applied_->provider, applied_->account, of.provider_id, of.method};
    find_customer_of(
        self(), reader(), of.provider_id,
        [this, work = std::move(work), gone = std::move(gone)](const customer_keys_lookup* lookup) mutable {
          if (!lookup) return try_later(std::move(work));
          for (const auto& each : lookup->keys)
            if (each.env == key().env)
              return forward(std::move(work), each, std::move(gone), problem::customer_not_found);
          settle(std::move(work), notification_state::ignored);
        });
  }

  /// `unknown`: the problem by which the router reports that there is no such entity.
  template <class Message>
  void forward(job work, const entity_key& of, Message change, problem unknown) {
    ask_entity(self(), router(), of, std::move(change), {},
               [this, work = std::move(work), unknown, about = in_words_of(of)](const entity_reply* reply) mutable {
                 if (reply && std::holds_alternative<entity_row>(reply->what))
                   return settle(std::move(work), notification_state::applied, std::move(about));
                 const auto* why = reply ? std::get_if<problem>(&reply->what) : nullptr;
                 if (why && *why == unknown) return try_until_patience_ends(std::move(work), std::move(about));
                 try_later(std::move(work), std::move(about));
               });
  }

  // ---- accounts -----------------------------------------------------------------------------------

  void find_account(job work, const about_account& of) {
    if (of.merchant.value.empty()) return find_owners(std::move(work), of.account);
    next_owner(std::move(work), account_change{of.account, {of.merchant}, {}, false, in_words(of.merchant)});
  }

  /// The provider does not name the account's merchant, but the connections do. Several merchants may share the
  /// account.
  void find_owners(job work, const std::string& account) {
    find_connections(self(), reader(), named_account{key().env, applied_->provider, account},
                     [this, work = std::move(work), account](const directory_lookup* found) mutable {
                       if (!found) return try_later(std::move(work));
                       account_change change{account, {}, {}, false, {}};
                       for (const auto& each : found->connections) {
                         if (!change.about.empty()) change.about += ", ";
                         change.about += in_words(each.merchant);
                         change.owners.push_back(each.merchant);
                       }
                       next_owner(std::move(work), std::move(change));
                     });
  }

  /// If the account belongs to no merchant here, the provider is not asked.
  void next_owner(job work, account_change change) {
    if (change.owners.empty()) {
      const auto as = change.has_followed ? notification_state::applied : notification_state::ignored;
      return settle(std::move(work), as, std::move(change.about));
    }
    const auto owner = change.owners.back();
    look_up_merchant(self(), context_->operators, owner,
                     [this, work = std::move(work), change = std::move(change)](bool answered) mutable {
                       if (!answered) return try_later(std::move(work), std::move(change.about));
                       const auto who = context_->merchants.find_merchant(change.owners.back());
                       const auto* at = who ? find_connection(*who, key().env, applied_->provider) : nullptr;
                       if (!at || at->account.empty() || at->account != change.account) {
                         change.owners.pop_back();
                         return next_owner(std::move(work), std::move(change));
                       }
                       change.standing ? follow(std::move(work), std::move(change))
                                       : ask_after(std::move(work), std::move(change));
                     });
  }

  void ask_after(job work, account_change change) {
    account_question question;
    question.merchant = change.owners.back();
    question.env = key().env;
    question.provider = applied_->provider;
    question.account = change.account;
    ask_gate(self(), context_->providers[static_cast<std::size_t>(applied_->provider)], std::move(question),
             [this, work = std::move(work), change = std::move(change)](const account_answer* found) mutable {
               if (!found) return try_later(std::move(work), std::move(change.about));
               if (found->standing == account_standing::unknown)
                 return try_until_patience_ends(std::move(work), std::move(change.about));
               change.standing = found->standing;
               follow(std::move(work), std::move(change));
             });
  }

  /// Asks the directory to update the connection, if the connection still has that account.
  void follow(job work, account_change change) {
    follow_account forwarded{change.owners.back(), key().env, applied_->provider, change.account, *change.standing};
    ask_directory(
        self(), context_->operators, std::move(forwarded),
        [this, work = std::move(work), change = std::move(change)](const operator_result* done, bool) mutable {
          if (!done) return try_later(std::move(work), std::move(change.about));
          change.has_followed |= !std::holds_alternative<operator_problem>(*done);
          change.owners.pop_back();
          next_owner(std::move(work), std::move(change));
        });
  }

  std::string in_words(const merchant_id& owner) const {
    return "account " + owner.value + '/' + std::string{to_string(key().env)};
  }

  // ---- outcome ------------------------------------------------------------------------------------

  /// Do not expire a notification while the clock is untrusted.
  bool has_waited(std::chrono::hours patience) const {
    const auto now = context_->watch.trusted_now(monotonic_now());
    return now && *now >= applied_->received_at + patience;
  }

  void try_until_patience_ends(job work, std::string about) {
    if (has_waited(notification_patience))
      return settle(std::move(work), notification_state::expired, std::move(about));
    try_later(std::move(work), std::move(about));
  }

  void try_later(job work, std::string about = {}) {
    if (has_waited(longest_notification_wait) && applied_->attempts >= fewest_attempts_of_a_week)
      return settle(std::move(work), notification_state::expired, std::move(about));
    auto next = *applied_;
    next.state = notification_state::waiting;
    next.due_at = context_->clock.now() + doubled(first_pause, next.attempts, longest_pause);
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

  /// `about` empty: the description stays as it is.
  void put_row(job work, notification next, std::string about) {
    next.version += 1;
    next.attempts += 1;
    if (!about.empty()) next.about = std::move(about);
    commit_change(unit_of(unit_kind::finish), shared(std::move(next)), {}, if_committed(std::move(work), then_view()));
  }

  std::shared_ptr<const notification_context> context_;
  row_ptr applied_;  ///< set while the notification is being applied
};

}  // namespace

entity_spawner notification_spawner(std::shared_ptr<const notification_context> context) {
  return spawner_of([context = std::move(context)] { return std::make_unique<notification_entity>(context); });
}

}  // namespace gateway::actors
