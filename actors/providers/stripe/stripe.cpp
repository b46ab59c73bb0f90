#include "stripe.hpp"

#include "dialogue.hpp"
#include "notifications.hpp"
#include "settings.hpp"

namespace gateway::actors {

namespace {

class stripe_adapter final : public provider_adapter {
 public:
  explicit stripe_adapter(gateway_addresses where) : where_(std::move(where)) {}

  provider_kind kind() const noexcept override { return provider_kind::stripe; }
  std::span<const provider_setting_row> settings() const noexcept override { return stripe::setting_rows(); }
  std::optional<std::string> fault_of(const provider_settings& values, environment env, bool dev) const override {
    return stripe::fault_of_settings(values, env, dev);
  }

  dialogue_ptr<provider_result> open(const provider_call& call, const provider_settings& with,
                                     time_point now) const override {
    stripe::call_at what{call, stripe::access_of(with, call.subject.account), now};
    switch (call.what) {
      case operation::capture: return stripe::open_capture(std::move(what));
      case operation::refund: return stripe::open_refund(std::move(what));
      case operation::void_payment: return stripe::open_void(std::move(what));
      case operation::create:
      case operation::charge:
      case operation::cancel: break;  // a cancel is an inquiry that closes the checkout, never a call
    }
    return stripe::open_creation(std::move(what), where_.base_url + "/checkout/returned");
  }

  dialogue_ptr<provider_result> open(const provider_inquiry& inquiry, const provider_settings& with,
                                     time_point) const override {
    auto as = stripe::access_of(with, inquiry.subject.account);
    if (inquiry.compares) return stripe::open_comparison(inquiry, std::move(as));
    return stripe::open_inquiry(inquiry, std::move(as));
  }

  dialogue_ptr<subscription_result> open(const subscription_call& call, const provider_settings& with,
                                         time_point now) const override {
    auto as = stripe::access_of(with, call.subject.account);
    if (call.reads) return stripe::open_subscription_reading(call, std::move(as), now);
    const auto& open = call.subject.open;
    if (open && open->what != subscription_operation::open_checkout)
      return stripe::open_subscription_end(call, std::move(as), now);
    return stripe::open_subscription_checkout(call, std::move(as), now);
  }

  dialogue_ptr<account_answer> open(const account_question& question, const provider_settings& with,
                                    time_point) const override {
    return stripe::open_account(question, stripe::access_of(with, {}));
  }

  dialogue_ptr<notification_subject> open(const notification_question& question, const provider_settings& with,
                                          time_point) const override {
    return stripe::open_notification(question, with);
  }

  bool lists_events() const noexcept override { return true; }
  dialogue_ptr<event_list_page> open(const event_list_question& question, const provider_settings& with,
                                     time_point) const override {
    return stripe::open_event_list(question, stripe::access_of(with, question.account));
  }

  bool registers_endpoints() const noexcept override { return true; }
  dialogue_ptr<endpoint_answer> open(const endpoint_question& question, const provider_settings& with,
                                     time_point) const override {
    return stripe::open_endpoint(question, stripe::access_of(with, {}));
  }
  provider_settings with_endpoint(provider_settings values, const endpoint_answer& made) const override {
    return stripe::with_endpoint(std::move(values), made.id, made.secret);
  }
  endpoint_secret secret_of(const provider_settings& values, const endpoint_answer& endpoint) const override {
    if (values.find("webhook_secret").empty()) return endpoint_secret::missing;
    const bool made_here = !endpoint.id.empty() && values.find("webhook_endpoint") == endpoint.id;
    return made_here ? endpoint_secret::known : endpoint_secret::unknown;
  }

  std::variant<receive_notification, notification_fault> verify(const incoming_notification& in,
                                                                const provider_settings& with, environment env,
                                                                time_point now) const override {
    return stripe::verify_notification(in, with, env, now);
  }

 private:
  gateway_addresses where_;
};

}  // namespace

std::unique_ptr<const provider_adapter> make_stripe_adapter(gateway_addresses where) {
  return std::make_unique<stripe_adapter>(std::move(where));
}

}  // namespace gateway::actors
