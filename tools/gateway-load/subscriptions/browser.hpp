// A browser that opens the gateway's pages and presses their buttons, for a merchant's owner who gives a platform a
// grant, and for a customer who pays.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/request.hpp"
#include "engine/target.hpp"
#include "engine/waiting_connection.hpp"

namespace gateway::load {

class browser {
 public:
  using fields = std::vector<std::pair<std::string, std::string>>;

  browser(const target& to, std::chrono::nanoseconds timeout) : to_{&to}, link_{to, timeout} {}

  /// Opens a page of the gateway, by its path or its URL. Redirects are not followed: see location().
  const answer& open(const std::string& where);
  /// Posts the page's form to the page's own path, with the token in it.
  const answer& press(const std::string& button, const fields& filled_in = {});
  /// The Location of the last answer; empty if it is no redirect.
  const std::string& location() const noexcept { return location_; }
  /// Follows redirects within this gateway. Returns the URL of the first one that leads elsewhere; empty if there is
  /// none.
  std::string follow();
  /// The page's body, until the next call.
  std::string_view page() const noexcept { return page_; }
  /// Deletes all cookies, to act as another person's browser.
  void forget() { cookies_.clear(); }

 private:
  const answer& send(const char* method, const std::string& path, const std::string& form);
  void read_head(std::string_view head);

  const target* to_;
  waiting_connection link_;
  std::map<std::string, std::string> cookies_;
  std::string at_;  ///< the path of the page
  std::string location_, page_;
  std::string wire_;
};

}  // namespace gateway::load
