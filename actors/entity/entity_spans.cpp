#include "entity_spans.hpp"

#include <string>
#include <utility>

namespace gateway::actors {

namespace {

std::string_view name_of(unit_kind kind) noexcept {
  switch (kind) {
    case unit_kind::begin: return "begin";
    case unit_kind::conclude: return "conclude";
    case unit_kind::finish: return "finish";
    case unit_kind::record: return "record";
    case unit_kind::change: return "change";
  }
  return {};
}

}  // namespace

/// Records the ids of payments and subscriptions only.
span entity_spans::span_of(std::string_view name, trace_time begun) const {
  span one;
  one.where = trace_;
  one.parent = trace_.span;
  one.name = name;
  one.begun = begun;
  one.ended = trace_now();
  one.attributes.reserve(7);
  one.attributes.push_back({"gateway.entity", std::string{to_string(of_->kind)}});
  if (!of_->merchant.empty()) one.attributes.push_back({"gateway.merchant_id", of_->merchant.value});
  if (of_->kind == entity_kind::payment) one.attributes.push_back({"gateway.payment_id", of_->id});
  if (of_->kind == entity_kind::subscription) one.attributes.push_back({"gateway.subscription_id", of_->id});
  return one;
}

void entity_spans::waited(entity_request& request) {
  const auto since = std::exchange(request.traced_from, 0);
  if (traces_->begin(trace_) == 0) return;
  auto one = span_of("wait", since);
  one.where = traces_->within(trace_);
  traces_->record(std::move(one));
}

void entity_spans::record_commit(unit_kind what, trace_time begun, commit_outcome outcome) {
  auto one = span_of(name_of(what), begun);
  one.where = traces_->within(trace_);
  one.attributes.push_back({"gateway.outcome", std::string{to_string(outcome)}});
  one.failed = outcome == commit_outcome::unavailable || outcome == commit_outcome::rejected;
  traces_->record(std::move(one));
}

void entity_spans::record_call(const provider_span& call, provider_kind provider, std::string_view operation,
                               provider_status status, const std::optional<provider_error>& error) {
  auto one = span_of("provider", call.begun);
  one.where = call.where;
  one.kind = span_kind::client;
  one.attributes.push_back({"gateway.provider", std::string{to_string(provider)}});
  one.attributes.push_back({"gateway.operation", std::string{operation}});
  one.attributes.push_back({"gateway.outcome", std::string{to_string(status)}});
  if (error) one.attributes.push_back({"gateway.error_category", std::string{to_string(error->category)}});
  one.failed = tells_of_trouble(error) || status == provider_status::unknown;
  traces_->record(std::move(one));
}

}  // namespace gateway::actors
