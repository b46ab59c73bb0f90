#include "customers.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "gateway/domain/customer.hpp"
#include "gateway/messages/customer_key.hpp"

namespace gateway::simulation {

namespace {

bool is_paid(const payment& row) {
  using enum payment_state;
  return row.state != created && row.state != processing && row.state != failed;
}

std::vector<std::string> without(std::vector<std::string> methods, const std::string& method) {
  std::erase(methods, method);
  return methods;
}

}  // namespace

customer_promises::mapping customer_promises::mapping_of(const entity_key& subject, const platform_id& platform,
                                                         const std::string& ref) {
  return {subject.merchant.value, static_cast<int>(subject.env), platform.value, ref};
}

customer_promises::mapping customer_promises::mapping_of(const payment& subject) {
  return mapping_of(subject.key, subject.customer->platform, subject.customer->ref);
}

const customer* customer_promises::row_of(const payment& subject) const {
  const auto& who = *subject.customer;
  const auto key = customer_key(subject.key.merchant, subject.key.env, who.platform, who.ref);
  const auto row = rows_.customers.find(testing::memory_store::id(key));
  return row == rows_.customers.end() ? nullptr : &row->second;
}

customer_promises::place customer_promises::place_of(const customer& who, const std::string& method) {
  for (const auto& name : who.other_names)
    if (std::ranges::find(name.methods, method) != name.methods.end()) return {name.provider, name.account};
  return {who.provider, who.account};
}

std::string customer_promises::text_of(const place& where) {
  return std::string{to_string(where.first)} + "'s account " + where.second;
}

bool customer_promises::has_made(const mapping& whose, const place& where, const std::string& provider_id) const {
  const auto is_among = [&](const ids_by_place& by) {
    const auto ids = by.find({whose, where});
    return ids != by.end() && ids->second.contains(provider_id);
  };
  return is_among(made_) || is_among(made_for_checkouts_);
}

bool customer_promises::has_approved(const mapping& whose, const place& where, const std::string& method) const {
  return std::ranges::any_of(savings_, [&](const auto& each) {
    const auto& s = each.second;
    return s.whose == whose && s.where == where && s.method == method;
  });
}

/// Whether a payment's row recorded it before that moment.
bool customer_promises::was_saved(const mapping& whose, const std::string& method, std::uint64_t before) const {
  return std::ranges::any_of(savings_, [&](const auto& each) {
    const auto& s = each.second;
    return s.whose == whose && (method.empty() || s.method == method) && s.stored_at && *s.stored_at < before;
  });
}

// ---- the provider -------------------------------------------------------------------------------

void customer_promises::made(const payment& subject, const std::string& provider_id) {
  ++moment_;
  auto& ids = made_[{mapping_of(subject), place{subject.provider, subject.account}}];
  ids.insert(provider_id);
  if (ids.size() > 1)
    all_.break_("the provider makes " + std::to_string(ids.size()) + " customers for " + subject.customer->ref +
                " of " + subject.customer->platform.value);
}

/// A checkout whose answer is lost fails, so its customer need not be stored. A second checkout gets the same customer.
void customer_promises::made_for_checkout(const subscription& of, const std::string& provider_id) {
  ++moment_;
  auto& ids =
      made_for_checkouts_[{mapping_of(of.key, of.platform, of.details.customer_ref), place{of.provider, of.account}}];
  ids.insert(provider_id);
  if (ids.size() > 1) all_.break_("the provider makes two customers for " + of.details.customer_ref);
}

void customer_promises::approved(const payment& subject, const std::string& method) {
  ++moment_;
  if (!subject.customer || !subject.customer->saves_method) return;
  savings_.try_emplace(testing::memory_store::id(subject.key),
                       saving{mapping_of(subject), {subject.provider, subject.account}, method, moment_, std::nullopt});
}

void customer_promises::check_sent(const std::string& subject, const mapping& whose, const place& where,
                                   const std::string& provider_id) {
  if (!provider_id.empty() && !has_made(whose, where, provider_id))
    all_.break_("the provider is called for " + subject + " with the customer " + provider_id +
                ", which it has not made in " + text_of(where));
}

void customer_promises::provider_called(const provider_call& call) {
  const auto& subject = call.subject;
  const place where{subject.provider, subject.account};
  if (subject.customer) check_sent(subject.key.id, mapping_of(subject), where, subject.customer->provider_id);
  if (!subject.open || subject.open->what != operation::charge) return;
  const auto* row = subject.customer ? row_of(subject) : nullptr;
  const auto& method = subject.details.payment_method;
  if (!row || !has_saved(*row, method))
    return all_.break_("the provider is asked to charge " + method + " for " + subject.key.id +
                       ", which is not saved for its customer");
  if (!has_approved(mapping_of(subject), where, method))
    all_.break_("the provider is asked to charge " + method + " for " + subject.key.id + ", which is not saved in " +
                text_of(where));
}

void customer_promises::provider_called(const subscription_call& call) {
  const auto& subject = call.subject;
  check_sent(subject.key.id, mapping_of(subject.key, subject.platform, subject.details.customer_ref),
             {subject.provider, subject.account}, subject.state.provider_customer_id);
}

// ---- rows ---------------------------------------------------------------------------------------

void customer_promises::committed(const std::optional<payment>& before, const testing::unit_parts& unit) {
  ++moment_;
  if (const auto* next = unit.changed_customer()) return check_row(*next);
  const auto* row = unit.changed();
  if (!row || !row->customer) return;
  check_names(*row);
  if (unit.insert_payment && unit.insert_command) return check_begin(*row, *unit.insert_command);
  const bool fresh = before && before->customer && before->customer->saved_method.empty();
  if (!fresh || !row->customer->saves_method || row->customer->saved_method.empty()) return;
  const auto saved = savings_.find(testing::memory_store::id(row->key));
  if (saved == savings_.end() || saved->second.method != row->customer->saved_method)
    return all_.break_(row->key.id + " saves " + row->customer->saved_method + ", which was not approved for it");
  saved->second.stored_at = moment_;
}

void customer_promises::check_row(const customer& next) {
  const auto name = next.ref + " of " + next.platform.value;
  if (next.key != customer_key(next.key.merchant, next.key.env, next.platform, next.ref))
    all_.break_("the customer " + name + " is stored as another");
  auto& past = history_[testing::memory_store::id(next.key)];
  const customer before = past.empty() ? customer{next.key,         0,  next.platform,   next.ref,    next.provider,
                                                  next.provider_id, {}, next.created_at, next.account}
                                       : past.back().row;
  if (next.version != before.version + 1)
    all_.break_("the customer " + name + " goes from version " + std::to_string(before.version) + " to " +
                std::to_string(next.version));
  auto same = next;
  same.version = before.version;
  same.methods = before.methods;
  same.other_names = before.other_names;
  same.saved_at = before.saved_at;
  if (same != before) all_.break_("the customer " + name + " becomes another");
  check_other_names(before, next);
  check_made(next);
  if (next.methods != before.methods) {
    const auto fresh = next.methods.empty() ? std::string{} : next.methods.back();
    if (without(next.methods, fresh) != without(before.methods, fresh))
      all_.break_("the customer " + name + " changes by more than one method");
  }
  past.push_back({next, moment_});
}

/// Each name was made in the account that it is stored for, and each method was saved there.
void customer_promises::check_made(const customer& next) {
  const auto whose = mapping_of(next.key, next.platform, next.ref);
  const auto name = next.ref + " of " + next.platform.value;
  const auto check = [&](const place& where, const std::string& id) {
    if (!has_made(whose, where, id))
      all_.break_("the customer " + name + " is stored as " + id + ", which the provider has not made in " +
                  text_of(where));
  };
  check({next.provider, next.account}, next.provider_id);
  for (const auto& other : next.other_names) check({other.provider, other.account}, other.id);
  for (const auto& method : next.methods)
    if (const auto where = place_of(next, method); !has_approved(whose, where, method))
      all_.break_("the customer " + name + " has " + method + ", which was not approved with saving in " +
                  text_of(where));
}

/// A payment that goes to a second provider or account may add that one's name for the customer. Known names stay, and
/// each account has one.
void customer_promises::check_other_names(const customer& before, const customer& next) {
  const auto name = next.ref + " of " + next.platform.value;
  const auto identity = [](const customer_name& of) { return std::tuple{of.provider, of.account, of.id}; };
  const auto& known = before.other_names;
  const auto& now = next.other_names;
  if (now.size() < known.size() || now.size() > known.size() + 1 ||
      !std::ranges::equal(known, std::span{now}.first(known.size()), {}, identity, identity))
    return all_.break_("the customer " + name + " loses a name, or gains two at once");
  std::set<std::pair<provider_kind, std::string>> accounts{{next.provider, next.account}};
  for (const auto& other : now) {
    if (!accounts.emplace(other.provider, other.account).second)
      all_.break_("the customer " + name + " has two names in one account");
    for (const auto& method : other.methods)
      if (!has_saved(next, method)) all_.break_("the customer " + name + " has " + method + " under a name only");
  }
}

/// Readers of the payment, its answer or its events must find the customer and method that they name.
void customer_promises::check_names(const payment& row) {
  const auto& who = *row.customer;
  if (who.provider_id.empty() && who.saved_method.empty()) return;
  const auto* stored = row_of(row);
  if (!stored || name_at(*stored, row.provider, row.account) != who.provider_id)
    return all_.break_(row.key.id + " names the customer " + who.provider_id + ", which is not stored for " +
                       text_of({row.provider, row.account}));
  if (!who.saved_method.empty() && !has_saved(*stored, who.saved_method))
    all_.break_(row.key.id + " names the method " + who.saved_method + ", which is not stored");
}

void customer_promises::check_begin(const payment& fresh, const command_record& command) {
  const auto wanted = wanted_.find(testing::memory_store::id(command.key));
  if (wanted == wanted_.end()) return all_.break_(fresh.key.id + " is for a customer, and nobody has asked for it");
  const auto& [asked_at, off_session] = wanted->second;
  const auto& method = fresh.details.payment_method;
  const auto* stored = row_of(fresh);
  if (fresh.customer->charges_saved && (!stored || !has_saved(*stored, method)))
    all_.break_(fresh.key.id + " begins with " + method + " as saved, which is not stored");
  if (off_session) {
    // The last method at any moment since the request was sent.
    const auto past = history_.find(testing::memory_store::id(
        customer_key(fresh.key.merchant, fresh.key.env, fresh.customer->platform, fresh.customer->ref)));
    bool was_last = false;
    if (past != history_.end())
      for (std::size_t i = 0; i < past->second.size(); ++i) {
        const auto& methods = past->second[i].row.methods;
        const auto until = i + 1 < past->second.size() ? past->second[i + 1].since : moment_;
        was_last |= !methods.empty() && methods.back() == method && (!leases_hold_ || until >= asked_at);
      }
    if (!was_last) all_.break_(fresh.key.id + " charges " + method + " off session, which was not saved last");
  }
  if (leases_hold_ && fresh.open->what == operation::charge && !fresh.customer->charges_saved &&
      was_saved(mapping_of(fresh), method, asked_at))
    all_.break_(fresh.key.id + " is to charge " + method + ", which is saved, and takes it for one that is not");
}

// ---- clients ------------------------------------------------------------------------------------

void customer_promises::asked(const entity_request& request) {
  ++moment_;
  const auto* made = command_if<create_payment>(request.what);
  const auto* charged = command_if<charge_saved>(request.what);
  if (!charged && !(made && made->customer)) return;
  // A reused key may stand for either request.
  auto& wanted =
      wanted_.try_emplace(testing::memory_store::id(request.write->key), wanted_customer{moment_, true}).first->second;
  wanted.off_session &= made && made->customer->off_session;
}

void customer_promises::reported(const entity_request& request, const entity_reply& reply, std::uint64_t asked_at) {
  if (const auto* seen = std::get_if<entity_row>(&reply.what))
    if (const auto* row = std::get_if<customer_ptr>(seen)) {
      const auto& past = history_[testing::memory_store::id((*row)->key)];
      if (std::ranges::none_of(past, [&](const version& v) { return v.row == **row; }))
        all_.break_("a look at the customer " + (*row)->ref + " shows what was never stored");
      return;
    }
  const auto* why = std::get_if<problem>(&reply.what);
  const auto* made = command_if<create_payment>(request.what);
  if (why && *why == problem::no_saved_method && leases_hold_ && made &&
      was_saved(mapping_of(request.key, made->customer->platform, made->customer->ref), {}, asked_at))
    all_.break_("nothing is said to be saved for " + made->customer->ref + " after a method was saved");
}

// ---- at rest ------------------------------------------------------------------------------------

void customer_promises::seen_at_rest(const customer& seen) {
  const auto row = rows_.customers.find(testing::memory_store::id(seen.key));
  if (row == rows_.customers.end() || row->second != seen)
    all_.break_("the customer " + seen.ref + " is shown at version " + std::to_string(seen.version) + " for ever");
}

void customer_promises::at_rest() {
  for (const auto& [key, row] : rows_.payments) {
    if (!row.customer || !row.customer->saves_method || !is_paid(row) || paid_late_.contains(key)) continue;
    const auto* stored = row_of(row);
    if (row.customer->saved_method.empty() || !stored || !has_saved(*stored, row.customer->saved_method))
      all_.break_(row.key.id + " is paid, and its method is not saved");
  }
  for (const auto& [made_for, ids] : made_) {
    const auto& [whose, where] = made_for;
    const bool known = std::ranges::any_of(rows_.customers, [&](const auto& each) {
      const auto& row = each.second;
      return mapping_of(row.key, row.platform, row.ref) == made_for.first &&
             ids.contains(name_at(row, made_for.second.first, made_for.second.second));
    });
    if (!known)
      all_.break_("the provider has made a customer for " + std::get<3>(whose) + " in " + text_of(where) +
                  ", which is not stored");
  }
  for (const auto& [key, row] : rows_.customers) check_order(row);
}

/// A method may follow another if it was approved again after every operation that saved the other was over.
void customer_promises::check_order(const customer& row) const {
  const auto whose = mapping_of(row.key, row.platform, row.ref);
  struct span {
    std::uint64_t last_approved = 0, last_stored = 0;
    bool all_stored = true;
  };
  std::map<std::string, span> of;
  for (const auto& [key, s] : savings_) {
    if (s.whose != whose) continue;
    auto& mine = of[s.method];
    mine.all_stored &= s.stored_at.has_value();
    if (!s.stored_at) continue;
    mine.last_approved = std::max(mine.last_approved, s.approved_at);
    mine.last_stored = std::max(mine.last_stored, *s.stored_at);
  }
  for (std::size_t i = 0; i < row.methods.size(); ++i)
    for (std::size_t k = i + 1; k < row.methods.size(); ++k) {
      const auto &front = of[row.methods[i]], &back = of[row.methods[k]];
      if (back.all_stored && front.last_approved > back.last_stored)
        all_.break_(row.ref + " has " + row.methods[k] + " as saved after " + row.methods[i] +
                    ", which was approved later");
    }
}

}  // namespace gateway::simulation
