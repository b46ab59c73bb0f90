// The customer's side: the hosted page of a checkout session, the bank's challenge, and an SDK's confirmation without a
// page. Also the form for the owner of a connected account.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "operations.hpp"

namespace gateway::stripe_stand_in {

class pages {
 public:
  /// `commit` commits a draft; its argument names the request.
  using committer = std::function<void(const draft&, std::string_view request)>;

  pages(const store& all, committer commit) : all_{all}, commit_{std::move(commit)} {}

  /// Whether the path is a page's rather than the API's.
  static bool serves(std::string_view path);
  answer serve(std::string_view method, std::string_view path, const form& filled_in);
  /// Expires the sessions whose time has passed.
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
