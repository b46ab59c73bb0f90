// A person's browser over HTTP: it keeps cookies, fills in the forms of pages, and clicks their buttons.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway_process.hpp"
#include "transport.hpp"

namespace gateway::e2e {

class visitor {
 public:
  using fields = std::vector<std::pair<std::string, std::string>>;

  explicit visitor(const gateway_process& gateway) : client_{gateway.connect()}, base_url_{gateway.base_url()} {}

  /// Opens a path or a URL of the gateway and follows redirects within the gateway.
  const reply& open(const std::string& target);
  /// Clicks the button named `action` with this value on the open page: sends its form with its hidden fields and
  /// `filled_in`, and follows redirects as `open` does. Of several forms, uses the first whose hidden fields do not
  /// contradict `filled_in`. Throws if the page has no such button.
  const reply& click(const std::string& action, const fields& filled_in = {});
  /// Posts this form to `target` without following redirects.
  const reply& post(const std::string& target, const std::string& form);
  /// Posts a form whose action asks first, then the same form with the token of the page that asks.
  const reply& post_confirmed(const std::string& target, const std::string& form);

  /// The last answer. If it redirects away from the gateway, `left_for()` is its Location.
  const reply& answer() const { return answer_; }
  /// Text and markup of the page, entities decoded.
  const std::string& html() const { return html_; }
  /// Path and query of the page.
  const std::string& at() const { return target_; }
  /// The URL outside the gateway to which the last redirect leads; empty if there was none.
  const std::string& left_for() const { return left_for_; }
  /// The value of a parameter of that URL's query, decoded; empty if there is none.
  std::string brought(const std::string& parameter) const;
  /// The values of the buttons named `action`.
  std::vector<std::string> actions() const;
  /// The hidden field `csrf` of the first form that has one.
  std::string csrf() const;

  std::map<std::string, std::string> cookies;  ///< by name

 private:
  const reply& send(http_request what);
  void follow();

  https_client client_;
  std::string base_url_;
  std::string target_;
  reply answer_;
  std::string html_;
  std::string left_for_;
};

}  // namespace gateway::e2e
