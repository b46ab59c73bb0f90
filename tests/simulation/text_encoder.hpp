// The encoder of simulated gateways.
#pragma once

#include <string>
#include <string_view>

#include "gateway/domain/webhook.hpp"
#include "gateway/ports/store/answer.hpp"

namespace gateway::simulation {

/// In an event's data, before the id of the refund or the dispute that it reports.
inline constexpr std::string_view about_object = " about ";

/// Encodes plain text instead of JSON, because the actors do not read it. Different states have different texts.
class text_encoder final : public payment_encoder,
                           public event_encoder,
                           public grant_encoder,
                           public subscription_encoder {
 public:
  answer encode(const outcome& result) const override {
    const auto status = !result.failure ? 200 : *result.failure == problem::provider_outcome_unknown ? 502 : 409;
    std::string body{to_string(result.what)};
    body.append(": ").append(to_string(result.after.state)).append(" v").append(std::to_string(result.after.version));
    if (result.refunded_amount > 0) body.append(", refunded ").append(std::to_string(result.refunded_amount));
    if (const auto& customer = result.after.customer)
      body.append(", for ").append(customer->provider_id).append(" by ").append(customer->saved_method);
    if (result.failure) body.append(", problem ").append(std::to_string(static_cast<int>(*result.failure)));
    return {static_cast<std::uint16_t>(status), std::move(body)};
  }
  std::string event_data(const payment& subject, std::string_view type, std::string_view about) const override {
    auto data = std::string{type} + " v" + std::to_string(subject.version);
    if (subject.customer) data.append(" by ").append(subject.customer->saved_method);
    if (!about.empty()) data.append(about_object).append(about);
    return data;
  }
  std::string envelope(const event_record& event, destination_kind to, const entity_id&, bool partial) const override {
    return event.id + ' ' + std::string{type_for(to, event.type)} + ' ' + event.subject.id + ' ' +
           (partial ? "in part " : "") + std::string{event.data.view()};
  }
  answer encode(const subscription_outcome& result) const override {
    const auto problem = result.failure ? ", problem " + std::to_string(static_cast<int>(*result.failure)) : "";
    return {static_cast<std::uint16_t>(result.failure ? 409 : 200),
            std::string{to_string(result.what)} + ": " + std::string{to_string(result.after.state.status)} + " v" +
                std::to_string(result.after.version) + problem};
  }
  std::string event_data(const subscription_event_data& what) const override {
    return std::string{to_string(what.state.status)} + " by " + what.source_event_id;
  }
  answer exchanged(const grant_binding& subject, const entity_id&) const override {
    return {200, "exchanged: " + subject.newest->id.value + ' ' + to_string(subject.newest->scopes)};
  }
  answer revoked() const override { return {204, {}}; }
};

}  // namespace gateway::simulation
