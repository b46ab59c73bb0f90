// The API as a whole: authentication, idempotency keys, faults, and the choice of the endpoint.
#pragma once

#include <boost/asio/io_context.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "faults.hpp"
#include "operations.hpp"

namespace gateway::stripe_stand_in {

using stand_in::request;

enum class account_state : unsigned char {
  active,
  restricted,  ///< it may not take payments
  gone,        ///< it has disconnected: answered as if it had never existed
};

class api {
 public:
  using committed = std::function<void()>;

  api(boost::asio::io_context& context, store& all, surroundings& at) : context_{context}, all_{all}, at_{at} {}

  void serve(const request& asked, std::function<void(answer)> done);
  /// Commits a draft, with the answer that is kept under its idempotency key, if there is one.
  void commit(const draft& in, std::string_view what, const std::string& fingerprint = {},
              const answer* kept = nullptr);

  /// The state that control has set, or the own state of an account made by the API. Empty: there is no such account.
  std::optional<account_state> state_of(const std::string& account) const;

  std::map<std::string, account_state> accounts;
  fault_plan faults;
  committed on_commit;  ///< called after each commit
  std::map<std::string, std::int64_t> counts;  ///< requests by method and path, without ids
  std::deque<std::string> traceparents;  ///< of the last hundred requests that had one

 private:
  struct call {
    request asked;
    form given;
    caller who;
    std::string fingerprint;
    std::optional<fault> goes_wrong;
    std::function<void(answer)> done;
  };

  std::optional<answer> fault_of_caller(const request& asked, caller& who) const;
  /// Whether the call was answered from the kept answer, or may not run now.
  bool answered_by_key(const call& one);
  void run(const std::shared_ptr<call>& one);
  void execute(call& one);
  answer dispatch(draft& in, const request& asked, const form& given);
  /// Serves the platform's own requests about its accounts; empty: it is another request.
  std::optional<answer> dispatch_accounts(draft& in, const request& asked, const form& given);
  std::optional<answer> dispatch_endpoints(draft& in, const request& asked, const form& given);
  answer finish(const call& one, answer what) const;

  boost::asio::io_context& context_;
  store& all_;
  surroundings& at_;
  std::set<std::string> in_progress_;
};

}  // namespace gateway::stripe_stand_in
