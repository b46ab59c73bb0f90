#include "resealer.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <openssl/crypto.h>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "gateway/base/log.hpp"
#include "gateway/messages/ask_store.hpp"
#include "gateway/ports/sealed_texts.hpp"

namespace gateway::actors {

namespace {

constexpr std::chrono::seconds between_reads{1};
constexpr std::chrono::milliseconds between_steps{20};
constexpr std::chrono::seconds read_timeout{30};
constexpr std::chrono::seconds reseal_timeout{30};
constexpr std::uint32_t most_of_step = 50;
/// The pause between passes while there is an old key: an unanswered commit may have taken effect late.
constexpr std::chrono::minutes between_passes{1};
/// A rotation takes a fraction of a second. One that takes longer is continued by this actor: its node may have died.
constexpr std::chrono::seconds interrupted_after{2};
/// After this time the rotation is cancelled if a node cannot get the key: such a node publishes nothing, and would
/// soon lose its lease.
constexpr std::chrono::seconds command_patience{3};

class resealer_state {
 public:
  static inline const char* name = "resealer";

  void start(resealer::pointer self, resealer_context context) {
    self_ = self;
    context_ = std::make_unique<resealer_context>(std::move(context));
    for (const auto in : all_sealed_columns)
      if (const auto purpose = purpose_of(in); !purpose.empty())
        derived_.emplace(in, context_->keys.derive(std::string{purpose}));
    wake_after(between_reads);
  }

  void wake() {
    if (!context_->nodes.serves() || !context_->nodes.owns("maintenance")) return wake_after(between_reads);
    if (in_pass_) return step();
    ask_store(self_, context_->store.archive, read_timeout, find_master_keys{})
        .then([this](const master_keys_lookup& found) { judge(found); },
              [this](const caf::error&) { wake_after(between_reads); });
  }

 private:
  using clock_time = decltype(std::declval<resealer::pointer>()->clock().now());

  template <class Time>
  void wake_after(Time pause) {
    self_->delayed_send(self_, pause, wake_atom::value);
  }

  void judge(const master_keys_lookup& found) {
    std::string current, offered;
    bool has_old = false;
    for (const auto& key : found.keys) {
      if (key.status == master_key_status::current) current = key.id;
      if (key.status == master_key_status::offered) offered = key.id;
      has_old = has_old || key.status == master_key_status::old;
    }
    const auto now = self_->clock().now();
    if (std::exchange(offered_, offered) != offered) offered_since_ = now;
    if (!offered.empty() && now - offered_since_ >= interrupted_after) return end_rotation();
    // The directory may be about to publish the key that the rows name.
    const bool is_published = context_->keys.all()->front().id == current;
    const bool is_due = current_ != current || now - passed_at_ >= between_passes;
    if (!has_old || !is_published || !is_due) return wake_after(between_reads);
    if (std::exchange(current_, current) != current) log::info("master_key.reseals", {{"id", current}});
    begin_pass();
  }

  // ---- a rotation that was interrupted ----------------------------------------------------------

  /// A repeated offer waits for every live node, and is then answered with the offered key.
  void end_rotation() {
    log::warn("master_key.rotation_resumed", {{"id", offered_}});
    command(offer_master_key{}, [this](bool everywhere) {
      if (everywhere) return command(promote_master_key{offered_}, [this](bool) { rotation_ended(); });
      command(withdraw_master_key{offered_}, [this](bool) { rotation_ended(); });
    });
  }

  void rotation_ended() {
    offered_.clear();
    wake_after(between_reads);
  }

  template <class Command, class Then>
  void command(Command wanted, Then then) {
    self_->request(context_->operators, command_patience, operator_command{std::move(wanted)})
        .then([then](const operator_result& result) { then(std::holds_alternative<named_result>(result)); },
              [then](const caf::error&) { then(false); });
  }

  // ---- a pass over all sealed texts -------------------------------------------------------------

  void begin_pass() {
    in_pass_ = true;
    column_ = 0;
    after_.clear();
    resealed_ = lost_ = unreadable_ = 0;
    step();
  }

  void step() {
    if (column_ == all_sealed_columns.size()) return end_pass();
    ask_store(self_, context_->store.archive, read_timeout,
              find_sealed{all_sealed_columns[column_], current_, after_, most_of_step})
        .then(
            [this](const sealed_lookup& found) {
              if (found.texts.empty()) {
                ++column_;
                after_.clear();
                return step();
              }
              after_ = found.texts.back().id;
              reseal_old(found.texts);
            },
            [this](const caf::error&) { break_off(); });
  }

  void reseal_old(const std::vector<sealed_text>& texts) {
    for (const auto& was : texts) {
      auto text = sealed_again(was);
      if (text.empty()) {
        ++unreadable_;
        log::error("master_key.text_unreadable",
                   {{"column", to_string(was.in)}, {"id", was.id}, {"key", sealing_key(was)}});
        continue;
      }
      unit_of_work unit;
      unit.kind = unit_kind::record;
      unit.claims.push_back(reseal{was, std::move(text)});
      ++under_way_;
      self_->request(context_->store.recorder, reseal_timeout, std::move(unit))
          .then([this](commit_outcome outcome) { committed(outcome == commit_outcome::committed); },
                [this](const caf::error&) { committed(false); });
    }
    if (under_way_ == 0) wake_after(between_steps);
  }

  void committed(bool done) {
    ++(done ? resealed_ : lost_);
    if (--under_way_ == 0) wake_after(between_steps);
  }

  /// Empty if no key opens it.
  std::string sealed_again(const sealed_text& was) const {
    const auto to = bound_to(was.in, was.id, was.of);
    const auto derived = derived_.find(was.in);
    return derived == derived_.end() ? sealed_again(context_->keys, was.text, to)
                                     : sealed_again(derived->second, was.text, to);
  }
  template <class Keys>
  static std::string sealed_again(const Keys& keys, const std::string& text, const std::string& to) {
    auto secret = keys.open(text, to);
    if (!secret) return {};
    auto sealed = keys.seal(*secret, to);
    OPENSSL_cleanse(secret->data(), secret->size());
    return sealed;
  }

  static std::string sealing_key(const sealed_text& was) { return std::string{crypto::sealing_key_of(was.text)}; }

  /// Texts that have changed meanwhile, or that did not fit in a step, are found by the next pass.
  void end_pass() {
    in_pass_ = false;
    if (resealed_ > 0 || unreadable_ > 0)
      log::info("master_key.resealed", {{"id", current_},
                                        {"texts", static_cast<std::int64_t>(resealed_)},
                                        {"unreadable", static_cast<std::int64_t>(unreadable_)}});
    passed_at_ = self_->clock().now();
    if (resealed_ + lost_ > 0) passed_at_ -= between_passes;
    wake_after(between_reads);
  }

  void break_off() {
    in_pass_ = false;
    current_.clear();
    wake_after(between_reads);
  }

  resealer::pointer self_ = nullptr;
  std::unique_ptr<resealer_context> context_;
  std::map<sealed_column, crypto::derived_keys> derived_;  ///< for the columns that are sealed under derived keys
  std::string current_;  ///< the key of the last pass
  std::string offered_;
  clock_time offered_since_{};
  clock_time passed_at_{};
  bool in_pass_ = false;
  std::size_t column_ = 0;
  std::string after_;
  std::size_t under_way_ = 0;
  std::size_t resealed_ = 0, lost_ = 0, unreadable_ = 0;
};

resealer::behavior_type resealer_behavior(resealer::stateful_pointer<resealer_state> self, resealer_context context) {
  self->state.start(self, std::move(context));
  return {[self](wake_atom) { self->state.wake(); }};
}

}  // namespace

resealer spawn_resealer(caf::actor_system& system, resealer_context context) {
  return system.spawn(resealer_behavior, std::move(context));
}

}  // namespace gateway::actors
