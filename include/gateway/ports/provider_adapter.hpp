// Port: a provider that is reached over HTTPS. An adapter is one folder under actors/providers/: its requests, its
// answers, its notifications, its settings. Apart from the adapter, only its row in gateway/domain/provider_kind.hpp
// and the composition root name the provider. docs/providers.md describes how to add one.
//
// An adapter sends nothing and reads no clock: it decides which request comes next, and what an answer means.
// actors/providers/http_provider.hpp sends the requests.
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

#include "gateway/base/keyring.hpp"
#include "gateway/domain/provider_settings.hpp"
#include "gateway/ports/http_client.hpp"
#include "gateway/ports/provider.hpp"

namespace gateway {

/// One operation with a provider: the sequence of its requests and answers. Concurrency: one thread at a time.
template <class Result>
class dialogue {
 public:
  virtual ~dialogue() = default;

  /// Returns the next request to send, or the result, which ends the dialogue. `received`: the outcome of the last
  /// request; null at first. Does not throw, whatever the provider answers.
  virtual std::variant<http_request, Result> next(const http_outcome* received) = 0;
};

template <class Result>
using dialogue_ptr = std::unique_ptr<dialogue<Result>>;

/// A setting that a provider has.
struct provider_setting_row {
  std::string_view name;
  bool secret = false;
  bool required = false;
  std::string_view otherwise{};  ///< the default; empty: none
  std::string_view what{};       ///< for operators, in a few words
};

/// A post to a provider's address for notifications.
struct incoming_notification {
  std::string_view body;  ///< the bytes as received
  /// The first header of that name, case-insensitive.
  std::function<std::optional<std::string_view>(std::string_view name)> header;
  std::string_view content_type;
};

enum class notification_fault : unsigned char {
  unsigned_,   ///< the signature is missing or wrong
  stale,       ///< the signature is correct, but too old
  unreadable,  ///< the signature is correct, but the content is not valid
};

/// A form that the customer's browser posts to the provider to open its hosted page, as some providers require.
struct hosted_form {
  std::string action;  ///< absolute https URL
  std::vector<std::pair<std::string, std::string>> fields;
};

/// The addresses of the gateway itself.
struct gateway_addresses {
  std::string base_url;  ///< without a trailing slash
  crypto::derived_keys form_key;  ///< signs the links to hosted forms
  std::chrono::milliseconds hosted_expiry{86'400'000};  ///< how long a customer may take to pay
};

enum class endpoint_secret : unsigned char {
  missing,  ///< the settings have no secret
  unknown,  ///< the settings have a secret, but not the endpoint that it belongs to
  known,    ///< the gateway has made the endpoint, and stored its secret
};

/// Concurrency: any thread, at any time.
class provider_adapter {
 public:
  virtual ~provider_adapter() = default;

  virtual provider_kind kind() const noexcept = 0;
  virtual std::span<const provider_setting_row> settings() const noexcept = 0;
  /// Why an operator's settings cannot be used, as a text for the operator; nullopt if they can. All names are in
  /// `settings()`, and all required ones are present. `dev`: addresses on this machine may be http.
  virtual std::optional<std::string> fault_of(const provider_settings& values, environment env, bool dev) const = 0;

  /// `now`: the wall clock's time at the start of the dialogue.
  virtual dialogue_ptr<provider_result> open(const provider_call& call, const provider_settings& with,
                                             time_point now) const = 0;
  virtual dialogue_ptr<provider_result> open(const provider_inquiry& inquiry, const provider_settings& with,
                                             time_point now) const = 0;
  /// Null if the provider has no subscriptions.
  virtual dialogue_ptr<subscription_result> open(const subscription_call& call, const provider_settings& with,
                                                 time_point now) const {
    static_cast<void>(call), static_cast<void>(with), static_cast<void>(now);
    return nullptr;
  }
  virtual dialogue_ptr<account_answer> open(const account_question& question, const provider_settings& with,
                                            time_point now) const = 0;
  virtual dialogue_ptr<notification_subject> open(const notification_question& question, const provider_settings& with,
                                                  time_point now) const = 0;

  /// Whether the provider keeps a list of events, so that the next dialogue exists.
  virtual bool lists_events() const noexcept { return false; }
  virtual dialogue_ptr<event_list_page> open(const event_list_question& question, const provider_settings& with,
                                             time_point now) const {
    static_cast<void>(question), static_cast<void>(with), static_cast<void>(now);
    return nullptr;
  }
  /// Whether the gateway's address for notifications can be registered by requests, so that the next dialogue exists.
  virtual bool registers_endpoints() const noexcept { return false; }
  virtual dialogue_ptr<endpoint_answer> open(const endpoint_question& question, const provider_settings& with,
                                             time_point now) const {
    static_cast<void>(question), static_cast<void>(with), static_cast<void>(now);
    return nullptr;
  }
  /// The settings with the secret of an endpoint that was made; the secrets that they have stay valid.
  virtual provider_settings with_endpoint(provider_settings values, const endpoint_answer& made) const {
    static_cast<void>(made);
    return values;
  }
  /// Whether the settings have the secret of this endpoint, as far as is known.
  virtual endpoint_secret secret_of(const provider_settings& values, const endpoint_answer& endpoint) const {
    static_cast<void>(values), static_cast<void>(endpoint);
    return endpoint_secret::missing;
  }

  /// Checks the signature in constant time, then the content.
  virtual std::variant<receive_notification, notification_fault> verify(const incoming_notification& in,
                                                                        const provider_settings& with, environment env,
                                                                        time_point now) const = 0;

  /// For providers whose hosted page is opened by a form: the form of a payment that waits for its customer; nullopt if
  /// it has none.
  virtual std::optional<hosted_form> form_of(const payment& subject, const provider_settings& with,
                                             time_point now) const {
    static_cast<void>(subject), static_cast<void>(with), static_cast<void>(now);
    return std::nullopt;
  }
};

/// Indexed by provider_kind; null for kinds without an adapter, such as the sandboxes.
using provider_adapters = std::array<std::unique_ptr<const provider_adapter>, provider_catalogue.size()>;

}  // namespace gateway
