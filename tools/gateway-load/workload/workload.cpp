#include "workload.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "gateway/domain/text.hpp"
#include "mix_scenario.hpp"
#include "model.hpp"
#include "verifier.hpp"

namespace gateway::load {
namespace {

constexpr unsigned most_keys = 1'000'000;
constexpr unsigned most_duplicates = 100'000;
constexpr unsigned most_hot_payments = 1'000'000;
constexpr unsigned most_refunds = 1'000;
constexpr std::uint32_t most_callers = 1'000'000;

void require_between(const char* what, unsigned value, unsigned least, unsigned most) {
  if (value < least || value > most)
    throw std::invalid_argument(std::string{what} + " must be from " + std::to_string(least) + " to " +
                                std::to_string(most));
}

workload_options checked(workload_options options) {
  if (options.mix.empty()) throw std::invalid_argument("no scenario is named");
  require_between("keys", options.keys, 1, most_keys);
  require_between("duplicates", options.duplicates, 1, most_duplicates);
  require_between("hot payments", options.hot_payments, 1, most_hot_payments);
  require_between("callers", options.callers, 1, most_callers);
  require_between("refunds", options.refunds, 0, most_refunds);
  const auto plain = [](char c) { return c > ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (options.payment_method.empty() || !std::ranges::all_of(options.payment_method, plain))
    throw std::invalid_argument("the payment method must be a token such as pm_card_visa");
  if (options.currency.size() != 3 || !std::ranges::all_of(options.currency, is_upper_letter))
    throw std::invalid_argument("the currency must be three capital letters such as HKD");
  return options;
}

class mixed_workload : public workload {
 public:
  explicit mixed_workload(const workload_options& options)
      : model_{checked(options)}, left_{options.count}, bounded_{options.count > 0} {
    for (const auto& [name, weight] : options.mix) {
      if (!(weight > 0)) throw std::invalid_argument("the weight of " + name + " must be a number above 0");
      parts_.push_back({make_mix_scenario(name, options, model_, static_cast<std::uint8_t>(parts_.size())), weight, 0});
    }
  }

  /// The scenario that has sent the least for its weight comes first. One that has nothing to send before an answer is
  /// skipped, and the skip counts as one request, so that it does not catch up later.
  void next(std::vector<request>& out) override {
    if (bounded_ && left_ == 0) return;
    const auto most = bounded_ ? left_ : ~std::uint64_t{0};
    const auto before = out.size();
    order_.clear();
    for (auto& one : parts_) order_.push_back(&one);
    std::ranges::stable_sort(order_, {}, &part::sent_by_weight);
    for (auto* one : order_) {
      one->scenario->next(out, most);
      const auto given = out.size() - before;
      one->sent_by_weight += static_cast<double>(std::max<std::size_t>(given, 1)) / one->weight;
      if (given == 0) continue;
      if (bounded_) left_ -= given;
      return;
    }
  }

  void on_answer(const request& sent, const answer& got) override {
    const bool of_customer = sent.kind == operation::by_ref;
    const auto outcome = of_customer ? model_.take_customer(sent, got) : model_.take(sent, got);
    const auto number = of_customer ? model_.customer(sent.subject).scenario
                                    : model_.payment(model_.key(sent.subject).payment).scenario;
    parts_[number].scenario->on_answer(sent, outcome);
  }

  std::unique_ptr<scenario> settle() override { return settle_in_doubt(model_, progress_); }
  std::unique_ptr<scenario> read_back() override { return read_payments(model_, progress_); }
  std::uint64_t events_expected() const override { return progress_.events; }

  verification conclude(const std::optional<std::vector<received_event>>& received) override {
    verification result;
    result.done = true;
    auto& found = model_.found();
    for (std::uint64_t i = 0; i < model_.keys(); ++i) conclude_key(model_.key(i), result);
    if (progress_.read_back && progress_.payments < model_.payments())
      found.add(std::to_string(model_.payments() - progress_.payments) + " payments could not be read back", {});
    if (progress_.read_back && progress_.customers < model_.customers())
      found.add(std::to_string(model_.customers() - progress_.customers) + " customers could not be read back", {});
    compare_customers(model_);
    if (received) result.events = compare_events(model_, *received);
    result.payments = progress_.payments;
    result.customers = progress_.customers;
    result.settled = progress_.settled;
    result.violations = found.count();
    result.shown = found.shown();
    return result;
  }

 private:
  struct part {
    std::unique_ptr<mix_scenario> scenario;
    double weight;
    double sent_by_weight;  // requests sent, divided by the weight
  };

  void conclude_key(const key_record& key, verification& result) {
    if (!key.has(key_record::answered)) return;
    const bool never_executed = !key.has(key_record::executed | key_record::in_doubt | key_record::overloaded);
    if (never_executed)
      model_.found().add(model_.name_of(key) + ": every answer says that it is a replay, and there was nothing before",
                         {request_id_of(key.request_id)});
    if (!never_executed && !key.has(key_record::faulty)) result.keys += 1;
  }

  model model_;
  progress_of_verification progress_;
  std::vector<part> parts_;
  std::vector<part*> order_;
  std::uint64_t left_;
  bool bounded_;
};

}  // namespace

std::unique_ptr<mix_scenario> make_mix_scenario(const std::string& name, const workload_options& options, model& of,
                                                std::uint8_t number) {
  if (name == "hot") return make_hot_scenario(options, of, number);
  if (name == "saved") return make_saved_scenario(of, number);
  if (auto made = make_payments_scenario(name, options, of, number)) return made;
  if (auto made = make_keys_scenario(name, options, of, number)) return made;
  throw std::invalid_argument("no scenario is called '" + name + "'");
}

std::unique_ptr<workload> make_workload(const workload_options& options) {
  return std::make_unique<mixed_workload>(options);
}

}  // namespace gateway::load
