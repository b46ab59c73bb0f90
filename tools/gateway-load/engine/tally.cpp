#include "tally.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace gateway::load {

namespace {

constexpr double nanoseconds_of_ms = 1e6;

double in_ms(std::uint64_t ns) { return static_cast<double>(ns) / nanoseconds_of_ms; }

/// A server's text is shown in terminals and reports, so only printable characters are kept.
void append_printable(std::string& to, std::string_view text) {
  for (const char c : text) to += c >= ' ' && c <= '~' ? c : '?';
}

}  // namespace

void tally::count_intended(clock::time_point due) {
  first_due_ = std::min(first_due_, due);
  const auto second = static_cast<std::size_t>(nanoseconds(due - begin_) / 1'000'000'000);
  if (second >= intended_.size()) intended_.resize(second + 1);
  ++intended_[second];
}

void tally::count_answer(operation kind, clock::time_point due, clock::time_point now, const answer& got) {
  auto& of = operations_[static_cast<std::size_t>(kind)];
  ++of.sent;
  last_answer_ = now;
  if (got.status != 0) {
    const auto took = nanoseconds(now - due);
    of.latency.add(took);
    current_latency_.add(took);
  }
  if (got.status == 0 || got.status >= 500) ++current_.failed;
  if (got.status > 0 && got.status < 400)
    ++of.plain[static_cast<std::size_t>(got.status)][got.replayed ? 1 : 0];
  else
    count_error(of, got);
}

void tally::count_error(of_operation& of, const answer& got) {
  outcome_.clear();
  if (got.status == 0) {
    outcome_ = to_string(got.lost);
  } else {
    outcome_ = std::to_string(got.status);
    if (const auto code = error_code_of(got.body); !code.empty()) append_printable(outcome_ += ' ', code);
    if (got.replayed) outcome_ += " replayed";
  }
  auto found = of.errors.find(outcome_);
  if (found == of.errors.end()) {
    if (of.errors.size() >= most_outcomes) outcome_ = "other errors";
    found = of.errors.try_emplace(outcome_).first;
    auto& first = first_ids_[outcome_];
    if (first.empty()) append_printable(first, got.request_id.substr(0, 100));
  }
  ++found->second;
}

void tally::finish_second(std::uint64_t waiting) {
  current_.waiting = waiting;
  current_.latency = current_latency_.counters();
  seconds_.push_back(std::move(current_));
  current_ = {};
  current_latency_.clear();
}

std::map<std::string, std::uint64_t> tally::errors() const {
  std::map<std::string, std::uint64_t> all;
  for (const auto& of : operations_)
    for (const auto& [outcome, times] : of.errors) all[outcome] += times;
  return all;
}

run_result tally::sum(const std::vector<const tally*>& all, double planned_s) {
  run_result result;
  std::uint64_t intended = 0;
  std::size_t seconds = 0;
  auto first = clock::time_point::max();
  clock::time_point last{};
  for (const auto* one : all) {
    result.lateness += one->lateness_;
    for (const auto& [outcome, id] : one->first_ids_)
      if (auto& known = result.errors[outcome]; known.empty()) known = id;
    intended += std::accumulate(one->intended_.begin(), one->intended_.end(), std::uint64_t{0});
    seconds = std::max({seconds, one->seconds_.size(), one->intended_.size()});
    first = std::min(first, one->first_due_);
    last = std::max(last, one->last_answer_);
  }
  result.threads = static_cast<unsigned>(all.size());
  // A schedule may last longer than the time until its last requests were answered.
  result.seconds = last > first ? std::max(std::chrono::duration<double>(last - first).count(), planned_s) : 0;
  result.intended_per_second = planned_s > 0 ? static_cast<double>(intended) / planned_s : 0;
  for (std::size_t kind = 0; kind < operations; ++kind) {
    auto of = sum_operation(all, kind);
    result.latency += of.latency;
    if (of.sent > 0) result.operations.push_back(std::move(of));
  }
  for (std::size_t i = 0; i < seconds; ++i) result.timeline.push_back(sum_second(all, i));
  return result;
}

operation_result tally::sum_operation(const std::vector<const tally*>& all, std::size_t kind) {
  operation_result of;
  of.name = operation_names[kind];
  for (const auto* one : all) {
    const auto& part = one->operations_[kind];
    of.sent += part.sent;
    of.latency += part.latency;
    for (const auto& [outcome, times] : part.errors) of.outcomes[outcome] += times;
    for (std::size_t status = 0; status < part.plain.size(); ++status) {
      if (const auto times = part.plain[status][0]; times > 0) of.outcomes[std::to_string(status)] += times;
      if (const auto times = part.plain[status][1]; times > 0)
        of.outcomes[std::to_string(status) + " replayed"] += times;
    }
  }
  return of;
}

second_result tally::sum_second(const std::vector<const tally*>& all, std::size_t second) {
  second_result result;
  histogram latency;
  result.at_s = static_cast<double>(second);
  for (const auto* one : all) {
    if (second < one->intended_.size()) result.intended += one->intended_[second];
    if (second >= one->seconds_.size()) continue;
    result.failed += one->seconds_[second].failed;
    result.waiting += one->seconds_[second].waiting;
    for (const auto& [value, times] : one->seconds_[second].latency) latency.add(value, times);
  }
  result.answered = latency.count();
  result.p50_ms = in_ms(latency.percentile(0.5));
  result.p90_ms = in_ms(latency.percentile(0.9));
  result.p99_ms = in_ms(latency.percentile(0.99));
  result.most_ms = in_ms(latency.most());
  return result;
}

}  // namespace gateway::load
