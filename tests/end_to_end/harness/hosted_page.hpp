// The customer's side of a hosted page over HTTP: does what a browser does with the form.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gateway_process.hpp"
#include "transport.hpp"

namespace gateway::e2e {

class hosted_page {
 public:
  /// Opens the page.
  hosted_page(const gateway_process& gateway, const std::string& hosted_url);

  const reply& answer() const { return answer_; }
  /// Its visible text and markup, entities decoded.
  const std::string& html() const { return html_; }
  /// The values of the buttons named `action`.
  const std::vector<std::string>& actions() const { return actions_; }
  const std::string& csrf() const { return csrf_; }

  /// Clicks a button.
  reply act(const std::string& action);
  /// Sends a form of the caller's choice, with or without the page's cookie.
  reply submit(const std::string& form, bool with_cookie);

 private:
  https_client client_;
  std::string target_;
  reply answer_;
  std::string html_;
  std::vector<std::string> actions_;
  std::string csrf_;
  std::string cookie_;
};

}  // namespace gateway::e2e
