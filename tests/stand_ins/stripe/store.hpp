// The stand-in's state: objects, answers under idempotency keys, events. Every executed request is one line in the
// ledger, on disk before the answer. The state is read back from there at the start, so that a kill loses nothing.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::stripe_stand_in {

/// The caller's account and mode: objects and idempotency keys belong to both.
struct caller {
  std::string account;
  bool live = false;
  std::string version;  ///< Stripe-Version
  std::string request_id;
  std::string idempotency_key;
};

struct kept_answer {
  std::string fingerprint;  ///< of the request
  std::string request_id;
  int status = 0;
  std::string body;
};

std::string random_id(std::string_view prefix);
std::int64_t now_seconds();
std::int64_t now_milliseconds();

class store {
 public:
  /// `synced`: each line is on the disk when commit() returns; otherwise it may still be in the kernel's cache.
  explicit store(std::filesystem::path ledger, bool synced = true);
  ~store();
  store(const store&) = delete;
  store& operator=(const store&) = delete;

  /// `kind` is the object's `object` field, such as `payment_intent`. Null if the caller has no such object.
  const boost::json::object* find(std::string_view kind, std::string_view id, const caller& who) const;
  /// Newest first.
  std::vector<const boost::json::object*> all(std::string_view kind, const caller& who) const;
  /// An object of any caller, for pages, which know only an id.
  const boost::json::object* find_anyones(std::string_view kind, std::string_view id) const;
  std::vector<const boost::json::object*> all_of_everyone(std::string_view kind) const;

  const kept_answer* answer_under(const caller& who) const;
  const std::vector<boost::json::object>& events() const { return events_; }
  /// The effects: the lines of the ledger without the fields that only the stand-in reads.
  const std::vector<boost::json::object>& effects() const { return effects_; }

  /// Writes the line, and applies it. Throws if the disk rejects it.
  void commit(const boost::json::object& line);

  static caller owner_of(const boost::json::object& object);

 private:
  void read_back();
  void apply(const boost::json::object& line);

  std::filesystem::path file_;
  bool synced_;
  int descriptor_ = -1;
  struct of_kind {
    std::map<std::string, boost::json::object, std::less<>> by_id;
    std::vector<std::string> order;
  };
  std::map<std::string, of_kind, std::less<>> kinds_;
  std::map<std::string, kept_answer> answers_;
  std::vector<boost::json::object> events_;
  std::vector<boost::json::object> effects_;
};

}  // namespace gateway::stripe_stand_in
