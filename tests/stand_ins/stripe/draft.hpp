// One request's changes, before they are committed: objects that are new or changed, what is told of them, the effect.
#pragma once

#include <boost/json.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "form.hpp"
#include "store.hpp"

namespace gateway::stripe_stand_in {

class draft {
 public:
  draft(const store& all, caller who) : all_{all}, who_{std::move(who)} {}

  const caller& who() const { return who_; }
  const store& stored() const { return all_; }

  /// To be changed. Null if there is none for this caller.
  boost::json::object* find(std::string_view kind, std::string_view id);
  /// A new object, with what all have: id, object, created, livemode.
  boost::json::object& make(std::string_view kind, std::string_view id_prefix);
  /// What happens from now on happens at this time, in unix seconds, and not at the real one.
  void set_clock(std::int64_t now) { clock_ = now; }
  std::int64_t now() const { return clock_ > 0 ? clock_ : now_seconds(); }
  /// An event about the object as it is now. `previous`: what an update has changed, as it was before. `account`: where
  /// it is not the caller's.
  void tell(std::string_view type, const boost::json::object& about, const boost::json::object& previous = {},
            std::string_view account = {});
  /// What was done, for the ledger. `of`: the object that names the payment by its metadata.
  void effect(std::string_view kind, const boost::json::object& of, std::int64_t amount, std::string_view currency);

  bool empty() const { return changed_.empty() && events_.empty(); }
  /// The line of the ledger, but for the answer.
  boost::json::object line(std::string_view request) const;

 private:
  const store& all_;
  caller who_;
  std::map<std::string, boost::json::object, std::less<>> changed_;
  std::vector<std::string> order_;
  boost::json::array events_;
  boost::json::object effect_;
  std::int64_t clock_ = 0;
};

/// As callers see it: without what is the stand-in's own, with what the request asks to be expanded. `expand` holds the
/// paths, as `latest_charge` or `data.customer`.
boost::json::value shown(const store& all, const boost::json::object& object,
                         const std::vector<std::string>& expand = {});
/// The first path that leads to nothing that can be expanded, as an error.
std::optional<answer> fault_of_expand(const std::vector<std::string>& expand, std::string_view allowed);

/// `{"object":"list","data":[…]}` of those that are given newest first; `limit` and `starting_after` of the form.
answer list_of(const store& all, const std::vector<const boost::json::object*>& objects, const form& asked,
               std::string_view url);

std::string text_of(const boost::json::object& object, std::string_view name);
std::int64_t number_of(const boost::json::object& object, std::string_view name);

}  // namespace gateway::stripe_stand_in
