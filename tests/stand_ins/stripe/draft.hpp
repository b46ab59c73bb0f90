// One request's uncommitted changes: new and changed objects, their events, and the effect.
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

  /// The object, for changing. Null if this caller has no such object.
  boost::json::object* find(std::string_view kind, std::string_view id);
  /// A new object with the fields that all have: id, object, created, livemode.
  boost::json::object& make(std::string_view kind, std::string_view id_prefix);
  /// Later changes are dated with this time, in unix seconds, instead of the real one.
  void set_clock(std::int64_t now) { clock_ = now; }
  std::int64_t now() const { return clock_ > 0 ? clock_ : now_seconds(); }
  /// Adds an event about the object as it is now. `previous`: the fields that an update has changed, with their old
  /// values. `account`: if it is not the caller's.
  void notify(std::string_view type, const boost::json::object& about, const boost::json::object& previous = {},
              std::string_view account = {});
  /// The events of this draft are listed, and never posted.
  void post_nothing() { posts_ = false; }
  /// Records the effect for the ledger. `of`: the object whose metadata names the payment.
  void effect(std::string_view kind, const boost::json::object& of, std::int64_t amount, std::string_view currency);

  bool empty() const { return changed_.empty() && events_.empty(); }
  /// The ledger's line, without the answer.
  boost::json::object line(std::string_view request) const;

 private:
  const store& all_;
  caller who_;
  std::map<std::string, boost::json::object, std::less<>> changed_;
  std::vector<std::string> order_;
  boost::json::array events_;
  boost::json::object effect_;
  std::int64_t clock_ = 0;
  bool posts_ = true;
};

/// The object as callers see it: without the stand-in's own fields, and with the requested expansions. `expand` holds
/// the paths, such as `latest_charge` or `data.customer`.
boost::json::value shown(const store& all, const boost::json::object& object,
                         const std::vector<std::string>& expand = {});
/// An error for the first path that cannot be expanded.
std::optional<answer> fault_of_expand(const std::vector<std::string>& expand, std::string_view allowed);

/// `{"object":"list","data":[…]}` of the given objects, newest first, with `limit`, `starting_after` and
/// `ending_before` of the form: https://docs.stripe.com/api/pagination
answer list_of(const store& all, const std::vector<const boost::json::object*>& objects, const form& asked,
               std::string_view url);

std::string text_of(const boost::json::object& object, std::string_view name);
std::int64_t number_of(const boost::json::object& object, std::string_view name);

}  // namespace gateway::stripe_stand_in
