#include "faults.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace gateway::stripe_stand_in {

namespace json = boost::json;

namespace {

constexpr std::array<std::string_view, 8> names{
    "error_500_before", "error_500_stored", "error_500_after", "cut_before", "cut_after", "rate_limited", "slow",
    "garbage"};

fault_kind kind_of(std::string_view name) {
  const auto at = std::ranges::find(names, name);
  if (at == names.end()) throw std::invalid_argument{"there is no fault " + std::string{name}};
  return static_cast<fault_kind>(at - names.begin());
}

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

}  // namespace

void fault_plan::set(const json::array& rules) {
  std::vector<rule> made;
  for (const auto& each : rules) {
    const auto& of = each.as_object();
    rule one;
    const auto& what = of.at("fault");
    if (what.is_array())
      for (const auto& name : what.as_array()) one.kinds.push_back(kind_of(view(name.as_string())));
    else
      one.kinds.push_back(kind_of(view(what.as_string())));
    if (one.kinds.empty()) throw std::invalid_argument{"a rule without a fault"};
    if (const auto* path = of.if_contains("path")) one.path = path->as_string().c_str();
    if (const auto* method = of.if_contains("method")) one.method = method->as_string().c_str();
    if (const auto* next = of.if_contains("next")) one.left = next->to_number<std::int64_t>();
    if (const auto* probability = of.if_contains("probability")) one.probability = probability->to_number<double>();
    if (const auto* ms = of.if_contains("ms")) one.wait = std::chrono::milliseconds{ms->to_number<std::int64_t>()};
    if (const auto* seed = of.if_contains("seed")) one.random.seed(seed->to_number<unsigned>());
    made.push_back(std::move(one));
  }
  rules_ = std::move(made);
}

std::optional<fault> fault_plan::next_for(std::string_view method, const std::string& path) {
  for (auto& one : rules_) {
    if (one.left == 0 || (!one.method.empty() && one.method != method)) continue;
    if (::fnmatch(one.path.c_str(), path.c_str(), 0) != 0) continue;
    if (one.probability < 1 && std::uniform_real_distribution{}(one.random) >= one.probability) continue;
    if (one.left > 0) --one.left;
    const auto kind = one.kinds[one.random() % one.kinds.size()];
    ++counts_[static_cast<std::size_t>(kind)];
    return fault{kind, one.wait};
  }
  return std::nullopt;
}

json::object fault_plan::counts() const {
  json::object reported;
  for (std::size_t i = 0; i < names.size(); ++i) reported[names[i]] = counts_[i];
  return reported;
}

}  // namespace gateway::stripe_stand_in
