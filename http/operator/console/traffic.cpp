#include "traffic.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace gateway::http {
namespace {

using namespace std::chrono_literals;

/// A rate over a shorter time is too imprecise.
constexpr auto least_window = 10s;

std::string metric_label(const prometheus::ClientMetric& of, std::string_view name) {
  const auto at = std::ranges::find(of.label, name, &prometheus::ClientMetric::Label::name);
  return at == of.label.end() ? std::string{} : at->value;
}

void count_requests(traffic_sample& into, const prometheus::MetricFamily& family) {
  for (const auto& each : family.metric) {
    const auto status = metric_label(each, "status");
    if (!status.empty()) into.routes[metric_label(each, "route")].by_class[status.front() - '0'] += each.counter.value;
  }
}

void count_durations(traffic_sample& into, const prometheus::MetricFamily& family) {
  for (const auto& each : family.metric) {
    auto& within = into.routes[metric_label(each, "route")].within;
    for (const auto& bucket : each.histogram.bucket)
      if (std::isfinite(bucket.upper_bound))
        within.emplace_back(bucket.upper_bound, static_cast<double>(bucket.cumulative_count));
  }
}

double total_of(const route_counts& counts) {
  double sum = 0;
  for (const auto& [digit, count] : counts.by_class) sum += count;
  return sum;
}

double count_in(const std::map<std::string, double>& counts, const std::string& name) {
  const auto at = counts.find(name);
  return at == counts.end() ? 0 : at->second;
}

route_counts difference(const route_counts* before, const route_counts& now) {
  auto out = now;
  if (!before) return out;
  for (auto& [digit, count] : out.by_class)
    if (const auto at = before->by_class.find(digit); at != before->by_class.end()) count -= at->second;
  for (std::size_t i = 0; i < out.within.size() && i < before->within.size(); ++i)
    out.within[i].second -= before->within[i].second;
  return out;
}

}  // namespace

traffic_sample take_sample(metrics& of, std::chrono::steady_clock::time_point now) {
  traffic_sample out;
  out.at = now;
  for (const auto& family : of.registry().Collect()) {
    if (family.name == "gateway_http_requests_total") count_requests(out, family);
    if (family.name == "gateway_http_request_seconds") count_durations(out, family);
    for (const auto& each : family.metric) {
      if (family.name == "gateway_writes_shed_total") out.shed[metric_label(each, "reason")] += each.counter.value;
      if (family.name == "gateway_provider_calls_total")
        out.providers[metric_label(each, "provider")][metric_label(each, "result")] += each.counter.value;
      if (family.name == "gateway_webhook_breaker")
        out.breakers[metric_label(each, "destination")] = static_cast<int>(each.gauge.value);
    }
  }
  return out;
}

std::optional<double> quantile(const std::vector<std::pair<double, double>>& within, double all, double share) {
  if (all <= 0) return std::nullopt;
  const auto wanted = all * share;
  double below = 0, from = 0;
  for (const auto& [seconds, count] : within) {
    if (count >= wanted) return count > below ? from + (seconds - from) * (wanted - below) / (count - below) : seconds;
    below = count;
    from = seconds;
  }
  return std::nullopt;
}

traffic traffic_between(const traffic_sample& before, const traffic_sample& now) {
  traffic out;
  out.over = std::max<std::chrono::duration<double>>(now.at - before.at, 1ms);
  for (const auto& [route, counts] : now.routes) {
    const auto known = before.routes.find(route);
    const auto changes = difference(known == before.routes.end() ? nullptr : &known->second, counts);
    route_traffic row;
    row.route = route;
    row.answered = total_of(changes);
    if (row.answered <= 0) continue;
    row.per_second = row.answered / out.over.count();
    if (const auto at = changes.by_class.find(5); at != changes.by_class.end()) row.failed = at->second;
    row.p50 = quantile(changes.within, row.answered, 0.5);
    row.p99 = quantile(changes.within, row.answered, 0.99);
    out.routes.push_back(std::move(row));
  }
  std::ranges::sort(out.routes, std::greater{}, &route_traffic::answered);
  for (const auto& [reason, count] : now.shed)
    if (const auto changes = count - count_in(before.shed, reason); changes > 0) out.shed.emplace_back(reason, changes);
  for (const auto& [provider, results] : now.providers) {
    provider_traffic row{provider, {}};
    const auto known = before.providers.find(provider);
    for (const auto& [result, count] : results)
      row.results[result] = count - (known == before.providers.end() ? 0 : count_in(known->second, result));
    out.providers.push_back(std::move(row));
  }
  return out;
}

traffic traffic_memory::look(const traffic_sample& now) {
  const std::lock_guard hold{lock_};
  if (now.at - newer_.at >= least_window) {
    older_ = newer_;
    newer_ = now;
  }
  return traffic_between(older_, now);
}

}  // namespace gateway::http
