// The customer's side: the hosted page of a checkout session, the bank's challenge, and what an SDK does without a
// page. And the form for the owner of a connected account.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "operations.hpp"

namespace gateway::stripe_stand_in {

class pages {
 public:
  /// `commit` makes a draft true; its argument says which request it was.
  using committer = std::function<void(const draft&, std::string_view request)>;

  pages(const store& all, committer commit) : all_{all}, commit_{std::move(commit)} {}

  /// Whether it is a page's address, and not the API's.
  static bool serves(std::string_view path);
  answer serve(std::string_view method, std::string_view path, const form& filled_in);
  /// Closes the sessions whose time is over.
  void expire_due();

 private:
  answer checkout(std::string_view method, const std::string& id, const form& filled_in);
  answer challenge(std::string_view method, const std::string& id, const form& filled_in);
  answer confirm_by_sdk(const form& filled_in);
  answer pay(draft& in, boost::json::object& session, const std::string& token);
  answer pay_subscription(draft& in, boost::json::object& session, const card& which);
  answer complete(draft& in, boost::json::object& session);
  answer setup(std::string_view method, const std::string& id, const form& filled_in);
  void act(draft& in, boost::json::object& intent, bool passes);

  const store& all_;
  committer commit_;
};

}  // namespace gateway::stripe_stand_in
