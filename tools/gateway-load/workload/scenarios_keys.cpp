// storm, replay, reuse: what an idempotency key is for.
#include <algorithm>
#include <deque>
#include <unordered_map>

#include "course.hpp"

namespace gateway::load {
namespace {

/// One key after the other: all its duplicates leave at once.
class storm_course : public course {
 public:
  storm_course(model& of, std::uint8_t number, unsigned keys, unsigned duplicates)
      : model_{of}, number_{number}, keys_{keys}, duplicates_{duplicates} {}

  void next(std::vector<request>& out, std::uint64_t most) override {
    if (under_way_.size() >= keys_) return;
    const auto first = model_.create(model_.begin_payment(number_, payment_kind::card, model_.usual_amount()));
    const auto copies = std::min<std::uint64_t>(duplicates_, most);
    under_way_[first.subject] = copies;
    for (std::uint64_t i = 0; i < copies; ++i) out.push_back(first);
  }

  void heard(const request& sent, const told&) override {
    const auto at = under_way_.find(sent.subject);
    if (at != under_way_.end() && --at->second == 0) under_way_.erase(at);
  }

 private:
  model& model_;
  std::uint8_t number_;
  unsigned keys_, duplicates_;
  std::unordered_map<std::uint64_t, std::uint64_t> under_way_;  // answers that each key still waits for
};

/// A pool of keys is finished first, by one payment each; then they are used, in turn, for what `exercises` tells.
class pool_course : public course {
 public:
  pool_course(model& of, std::uint8_t number, unsigned keys, std::vector<model::step> exercises)
      : model_{of}, number_{number}, keys_{keys}, exercises_{std::move(exercises)} {}

  void next(std::vector<request>& out, std::uint64_t) override {
    if (!unfinished_.empty()) {
      out.push_back(model_.under(unfinished_.front(), model::again));
      unfinished_.pop_front();
    } else if (begun_ < keys_) {
      begun_ += 1;
      out.push_back(model_.create(model_.begin_payment(number_, payment_kind::card, model_.usual_amount())));
    } else if (!finished_.empty()) {
      const auto key = finished_[at_ % finished_.size()];
      // The round of the pool, too, so that each key comes to every exercise.
      out.push_back(model_.under(key, exercises_[(at_ + at_ / finished_.size()) % exercises_.size()]));
      at_ += 1;
    }
  }

  void heard(const request& sent, const told& what) override {
    if (model_.key(sent.subject).payment >= seen_.size()) seen_.resize(model_.key(sent.subject).payment + 1);
    auto&& is_in_pool = seen_[model_.key(sent.subject).payment];
    if (is_in_pool) return;
    if (what.answered) {
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
  std::vector<model::step> exercises_;
  std::uint64_t begun_ = 0, at_ = 0;
  std::deque<std::uint64_t> unfinished_;
  std::vector<std::uint64_t> finished_;
  std::vector<bool> seen_;  // by payment: its key is finished
};

}  // namespace

std::unique_ptr<course> make_keys_course(const std::string& name, const workload_options& options, model& of,
                                         std::uint8_t number) {
  if (name == "storm") return std::make_unique<storm_course>(of, number, options.keys, options.duplicates);
  if (name == "replay") return std::make_unique<pool_course>(of, number, options.keys, std::vector{model::again});
  if (name == "reuse")
    return std::make_unique<pool_course>(of, number, options.keys,
                                         std::vector{model::wrong_amount, model::wrong_payment, model::wrong_path});
  return nullptr;
}

}  // namespace gateway::load
