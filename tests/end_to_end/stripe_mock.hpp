// Stripe's own stripe-mock (tools/stripe-mock), in a process of its own. It knows the requests of Stripe's API and
// their parameters, and answers each with an example. It stores nothing and executes nothing.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "child_process.hpp"
#include "gateway/ports/http_client.hpp"
#include "transport.hpp"

namespace gateway::e2e {

class stripe_mock {
 public:
  /// Throws std::runtime_error if the program cannot be built.
  stripe_mock();
  ~stripe_mock();
  stripe_mock(const stripe_mock&) = delete;
  stripe_mock& operator=(const stripe_mock&) = delete;

  /// The version of the API that it knows: `2026-08-26.dahlia`.
  const std::string& api_version() const { return api_version_; }
  /// Sends the request to the mock, whatever host it names.
  http_answer answer_to(const gateway::http_request& what);
  /// The requests sent so far, sorted, with every parameter that any of them had: `POST
  /// /v1/payment_intents/{id}/capture` and `amount_to_capture`, or `none`.
  std::vector<std::pair<std::string, std::string>> requests() const;

 private:
  std::filesystem::path folder_;
  std::string api_version_;
  endpoint address_{"127.0.0.1", 0};
  child_process process_;
  std::map<std::string, std::set<std::string>> seen_;
};

}  // namespace gateway::e2e
