// storm, replay, reuse: the scenarios that use an idempotency key more than once.
#include <algorithm>
#include <deque>
#include <unordered_map>

#include "mix_scenario.hpp"

namespace gateway::load {
namespace {

/// All duplicates of a key leave at once, then those of the next key.
class storm_scenario : public mix_scenario {
 public:
  storm_scenario(model& of, std::uint8_t number, unsigned keys, unsigned duplicates)
      : model_{of}, number_{number}, keys_{keys}, duplicates_{duplicates} {}

  void next(std::vector<request>& out, std::uint64_t most) override {
    if (in_flight_.size() >= keys_) return;
    const auto first = model_.create(model_.begin_payment(number_, payment_kind::card, model_.usual_amount()));
    const auto copies = std::min<std::uint64_t>(duplicates_, most);
    in_flight_[first.subject] = copies;
    for (std::uint64_t i = 0; i < copies; ++i) out.push_back(first);
  }

  void on_answer(const request& sent, const answer_outcome&) override {
    const auto at = in_flight_.find(sent.subject);
    if (at != in_flight_.end() && --at->second == 0) in_flight_.erase(at);
  }

 private:
  model& model_;
  std::uint8_t number_;
  unsigned keys_, duplicates_;
  std::unordered_map<std::uint64_t, std::uint64_t> in_flight_;  // by key: answers that have not arrived
};

/// First finishes a pool of keys, one payment each. Then sends further requests under these keys in turn: those that
/// `steps` lists.
class pool_scenario : public mix_scenario {
 public:
  pool_scenario(model& of, std::uint8_t number, unsigned keys, std::vector<model::step> steps)
      : model_{of}, number_{number}, keys_{keys}, steps_{std::move(steps)} {}

  void next(std::vector<request>& out, std::uint64_t) override {
    if (!unfinished_.empty()) {
      out.push_back(model_.under(unfinished_.front(), model::again));
      unfinished_.pop_front();
    } else if (begun_ < keys_) {
      begun_ += 1;
      out.push_back(model_.create(model_.begin_payment(number_, payment_kind::card, model_.usual_amount())));
    } else if (!finished_.empty()) {
      const auto key = finished_[at_ % finished_.size()];
      // The number of the round through the pool is added, so that each key gets every step.
      out.push_back(model_.under(key, steps_[(at_ + at_ / finished_.size()) % steps_.size()]));
      at_ += 1;
    }
  }

  void on_answer(const request& sent, const answer_outcome& outcome) override {
    if (model_.key(sent.subject).payment >= is_finished_.size())
      is_finished_.resize(model_.key(sent.subject).payment + 1);
    auto&& is_in_pool = is_finished_[model_.key(sent.subject).payment];
    if (is_in_pool) return;
    if (outcome.answered) {
      is_in_pool = true;
      finished_.push_back(sent.subject);
    } else {
      unfinished_.push_back(sent.subject);
    }
  }

 private:
  model& model_;
  std::uint8_t number_;
  unsigned keys_;
  std::vector<model::step> steps_;
  std::uint64_t begun_ = 0, at_ = 0;
  std::deque<std::uint64_t> unfinished_;
  std::vector<std::uint64_t> finished_;
  std::vector<bool> is_finished_;  // by payment: its key is in finished_
};

}  // namespace

std::unique_ptr<mix_scenario> make_keys_scenario(const std::string& name, const workload_options& options, model& of,
                                                 std::uint8_t number) {
  if (name == "storm") return std::make_unique<storm_scenario>(of, number, options.keys, options.duplicates);
  if (name == "replay") return std::make_unique<pool_scenario>(of, number, options.keys, std::vector{model::again});
  if (name == "reuse")
    return std::make_unique<pool_scenario>(of, number, options.keys,
                                           std::vector{model::wrong_amount, model::wrong_payment, model::wrong_path});
  return nullptr;
}

}  // namespace gateway::load
