// The API as a whole: who may ask, idempotency keys, faults, and which endpoint is meant.
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
#include "server.hpp"

namespace gateway::stripe_stand_in {

enum class account_state : unsigned char {
  active,
  restricted,  ///< it may not take payments
  gone,        ///< it has disconnected: it looks as if it had never been there
};

class api {
 public:
  using committed = std::function<void()>;

  api(boost::asio::io_context& context, store& all, surroundings& at) : context_{context}, all_{all}, at_{at} {}

  void serve(const request& asked, std::function<void(answer)> done);
  /// Makes a draft true, with the answer that is kept under its idempotency key, if there is one.
  void commit(const draft& in, std::string_view what, const std::string& fingerprint = {},
              const answer* kept = nullptr);

  /// As control has said, or as the account itself stands that was made by the API. Nothing: there is none.
  std::optional<account_state> state_of(const std::string& account) const;

  std::map<std::string, account_state> accounts;
  fault_plan faults;
  committed on_commit;                        ///< called after each commit
  std::map<std::string, std::int64_t> counts;  ///< requests by method and path, ids left out
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
  /// Whether it was answered from what is kept, or may not run now.
  bool answered_by_key(const call& one);
  void run(const std::shared_ptr<call>& one);
  void execute(call& one);
  answer dispatch(draft& in, const request& asked, const form& given);
  /// Those that the platform asks of its accounts; nothing: it is none.
  std::optional<answer> dispatch_accounts(draft& in, const request& asked, const form& given);
  answer finish(const call& one, answer what) const;

  boost::asio::io_context& context_;
  store& all_;
  surroundings& at_;
  std::set<std::string> in_progress_;
};

}  // namespace gateway::stripe_stand_in
