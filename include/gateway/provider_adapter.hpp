// Port: a provider that is reached over HTTPS, as the gateway needs to know it. An adapter is one folder under
// actors/providers/: its requests, its answers, its notifications, its settings. Nothing else names the provider but
// its row in gateway/domain/provider_kind.hpp and the composition root. docs/providers.md says how to add one.
//
// An adapter sends nothing and reads no clock: it says which request comes next, and what an answer means.
// actors/providers/http_provider.hpp carries it out.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gateway/domain/provider_settings.hpp"
#include "gateway/http_client.hpp"
#include "gateway/provider.hpp"

namespace gateway {

/// One thing that is asked of a provider, as the requests and answers that it takes, one after the other.
/// Concurrency: one thread at a time.
template <class Result>
class dialogue {
 public:
  virtual ~dialogue() = default;

  /// What is sent next, or what it has come to; then it is over. `heard`: what the last request has come to; null at
  /// first. Throws nothing, whatever the provider answers.
  virtual std::variant<http_request, Result> next(const http_outcome* heard) = 0;
};

template <class Result>
using dialogue_ptr = std::unique_ptr<dialogue<Result>>;

/// A setting that a provider has.
struct provider_setting_row {
  std::string_view name;
  bool secret = false;
  bool required = false;
  std::string_view otherwise{};  ///< its value where it is not set; empty: none
  std::string_view what{};       ///< for operators, in a few words
};

/// What has come to a provider's address for notifications.
struct incoming_notification {
  std::string_view body;  ///< the bytes as they came
  /// The first header of that name; upper and lower case are the same.
  std::function<std::optional<std::string_view>(std::string_view name)> header;
  std::string_view content_type;
};

enum class notification_fault : unsigned char {
  unsigned_,   ///< it carries no signature, or one that is wrong
  stale,       ///< its signature is right, and older than is tolerated
  unreadable,  ///< its signature is right, and what it says makes no sense
};

/// A form that the customer's browser posts to the provider: how some providers' hosted pages are opened.
struct hosted_form {
  std::string action;  ///< absolute https URL
  std::vector<std::pair<std::string, std::string>> fields;
};

/// Where the gateway itself is reached.
struct gateway_addresses {
  std::string base_url;  ///< without a trailing slash
  std::string form_key;  ///< signs the links to hosted forms
  std::chrono::milliseconds hosted_expiry{86'400'000};  ///< how long a customer may take to pay
};

/// Concurrency: any thread, at any time.
class provider_adapter {
 public:
  virtual ~provider_adapter() = default;

  virtual provider_kind kind() const noexcept = 0;
  virtual std::span<const provider_setting_row> settings() const noexcept = 0;
  /// Why an operator's settings cannot be used, in words for the operator. All names are of `settings()`, and all that
  /// are required are there. `dev`: addresses on this machine may be http.
  virtual std::optional<std::string> fault_of(const provider_settings& values, environment env, bool dev) const = 0;

  /// `now`: of the wall clock, when it begins.
  virtual dialogue_ptr<provider_result> open(const provider_call& call, const provider_settings& with,
                                             time_point now) const = 0;
  virtual dialogue_ptr<provider_result> open(const provider_inquiry& inquiry, const provider_settings& with,
                                             time_point now) const = 0;
  /// Null where the provider has no subscriptions.
  virtual dialogue_ptr<subscription_result> open(const subscription_call& call, const provider_settings& with,
                                                 time_point now) const {
    static_cast<void>(call), static_cast<void>(with), static_cast<void>(now);
    return nullptr;
  }
  virtual dialogue_ptr<account_answer> open(const account_question& question, const provider_settings& with,
                                            time_point now) const = 0;
  virtual dialogue_ptr<notification_subject> open(const notification_question& question, const provider_settings& with,
                                                  time_point now) const = 0;

  /// Checks the signature in constant time, and then what it must say.
  virtual std::variant<receive_notification, notification_fault> verify(const incoming_notification& in,
                                                                        const provider_settings& with, environment env,
                                                                        time_point now) const = 0;

  /// For providers whose hosted page is opened by a form: of a payment that waits for its customer. Nothing: there is
  /// none for it.
  virtual std::optional<hosted_form> form_of(const payment& subject, const provider_settings& with,
                                             time_point now) const {
    static_cast<void>(subject), static_cast<void>(with), static_cast<void>(now);
    return std::nullopt;
  }
};

/// By provider_kind; null where a kind has none, as the sandboxes.
using provider_adapters = std::array<std::unique_ptr<const provider_adapter>, provider_catalogue.size()>;

}  // namespace gateway
