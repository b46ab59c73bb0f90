#include "destinations.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/ports/sealed_texts.hpp"

namespace gateway::actors {

namespace {

std::string sealed_to(const destination_id& id) { return bound_to(sealed_column::destination, id.value); }

/// A conflict and not not_found, because the answers of the operator socket must not change.
operator_problem no_destination(const destination_id& id) {
  return {operator_problem::kind::conflict, "no destination " + id.value};
}

operator_problem too_many(const set_destination& wanted) {
  return {operator_problem::kind::conflict, wanted.owner + " has " + std::to_string(most_destinations) +
                                                " destinations in " + std::string{to_string(wanted.env)} +
                                                " mode already, the most that it may have"};
}

operator_problem too_many_deleted(const set_destination& wanted) {
  return {operator_problem::kind::conflict, wanted.owner + " has deleted " + std::to_string(most_deleted_destinations) +
                                                " destinations in " + std::string{to_string(wanted.env)} +
                                                " mode. Change the URL of one that it has instead"};
}

bool is_kept(const destination& what) { return what.status != destination_status::deleted; }

}  // namespace

destination_id destination_id_of(destination_kind kind, const std::string& owner, environment env,
                                 const std::string& url, std::size_t taken) {
  auto named = owner + '\n' + std::string{to_string(env)};
  if (kind == destination_kind::merchant) named += '\n' + url;
  if (taken > 0) named += '\n' + std::to_string(taken);  // no URL has a line break
  return destination_id{"dest_" + crypto::hex(crypto::sha256(named)).substr(0, 20)};
}

// ---- the rows -----------------------------------------------------------------------------------

void destinations::adopt(const directory_lookup& rows) {
  for (const auto& row : rows.destinations) remember(opened(row));
  for (const auto& row : rows.merchants) owners_.set_destinations(row.id, list_of(row.id.value));
}

destinations::known_destination destinations::opened(const stored_destination& row) const {
  const auto& id = row.what.id;
  known_destination d{row, {}, {}};
  if (auto secret = keys_.open(row.sealed_secret, sealed_to(id)))
    d.secret = std::move(*secret);
  else
    log::error("destination_secret_unreadable", {{"destination_id", id.value}});
  if (row.sealed_previous.empty()) return d;
  if (auto previous = keys_.open(row.sealed_previous, sealed_to(id)))
    d.previous = std::move(*previous);
  else
    log::error("destination_previous_secret_unreadable", {{"destination_id", id.value}});
  return d;
}

void destinations::remember(known_destination d) {
  const auto id = d.row.what.id;
  owned_[d.row.what.owner].insert(id);
  known_[id] = std::move(d);
}

const destinations::known_destination* destinations::find(const destination_id& id) const {
  const auto at = known_.find(id);
  return at == known_.end() ? nullptr : &at->second;
}

const destinations::known_destination* destinations::find_kept(const destination_id& id) const {
  const auto* known = find(id);
  return known && is_kept(known->row.what) ? known : nullptr;
}

const destinations::known_destination* destinations::find_by_url(const std::string& owner, environment env,
                                                                 const std::string& url) const {
  const auto owned = owned_.find(owner);
  if (owned == owned_.end()) return nullptr;
  for (const auto& id : owned->second)
    if (const auto* known = find_kept(id); known && known->row.what.env == env && known->row.what.url == url)
      return known;
  return nullptr;
}

const destinations::known_destination* destinations::find_same(const set_destination& wanted) const {
  if (wanted.kind == destination_kind::merchant) return find_by_url(wanted.owner, wanted.env, wanted.url);
  const auto owned = owned_.find(wanted.owner);
  if (owned == owned_.end()) return nullptr;
  for (const auto& id : owned->second)
    if (const auto* known = find_kept(id); known && known->row.what.env == wanted.env) return known;
  return nullptr;
}

destination_id destinations::free_id(const set_destination& wanted) const {
  for (std::size_t taken = 0;; ++taken)
    if (auto id = destination_id_of(wanted.kind, wanted.owner, wanted.env, wanted.url, taken); !find(id)) return id;
}

bool destinations::has_owner(const set_destination& wanted) const {
  return wanted.kind == destination_kind::merchant ? owners_.has(merchant_id{wanted.owner})
                                                   : platform_owners_.has(platform_id{wanted.owner});
}

std::size_t destinations::count(const std::string& owner, environment env, bool deleted) const {
  const auto owned = owned_.find(owner);
  if (owned == owned_.end()) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(owned->second, [&](const auto& id) {
    const auto& what = find(id)->row.what;
    return what.env == env && is_kept(what) != deleted;
  }));
}

std::vector<destination> destinations::list_of(const std::string& owner) const {
  std::vector<destination> list;
  if (const auto owned = owned_.find(owner); owned != owned_.end())
    for (const auto& id : owned->second)
      if (const auto& what = find(id)->row.what; is_kept(what)) list.push_back(what);
  return list;
}

// ---- the snapshot -------------------------------------------------------------------------------

void destinations::publish(const directory_lookup& rows) const {
  for (const auto& row : rows.destinations) publish(*find(row.what.id));
}

void destinations::publish_of(const std::string& owner) const {
  if (const auto owned = owned_.find(owner); owned != owned_.end())
    for (const auto& id : owned->second) publish(*find(id));
}

void destinations::publish(const known_destination& d) const {
  if (d.secret.empty() && is_kept(d.row.what)) return;
  auto shown = std::make_shared<webhook_endpoint>();
  shown->what = d.row.what;
  shown->secret = d.secret;
  if (!d.previous.empty() && d.row.previous_until) {
    shown->previous_secret = d.previous;
    shown->previous_until = *d.row.previous_until;
  }
  shown->held =
      d.row.what.kind == destination_kind::platform && platform_owners_.is_suspended(platform_id{d.row.what.owner});
  published_.publish(std::shared_ptr<const webhook_endpoint>{std::move(shown)});
  published_anew_(d.row.what.id);
}

// ---- commands -----------------------------------------------------------------------------------

planned destinations::prepare(const set_destination& wanted) {
  if (!has_owner(wanted)) return no_such(to_string(wanted.kind), wanted.owner);
  const auto* same = find_same(wanted);
  if (!same && count(wanted.owner, wanted.env, false) >= most_destinations) return too_many(wanted);
  if (!same && count(wanted.owner, wanted.env, true) >= most_deleted_destinations) return too_many_deleted(wanted);
  auto d = same ? *same : fresh(wanted, free_id(wanted));
  if (d.secret.empty()) give_new_secret(d);
  if (!same || d.row.what.status != destination_status::enabled || d.row.what.url != wanted.url)
    d.row.what.enabled_at = clock_.now();
  d.row.what.url = wanted.url;
  d.row.what.events = wanted.events;
  if (wanted.name) d.row.what.name = *wanted.name;
  if (wanted.standard_webhooks) d.row.what.standard_webhooks = *wanted.standard_webhooks;
  d.row.what.status = destination_status::enabled;
  d.row.what.disabled_reason.clear();
  return saving(std::move(d), [](const known_destination& saved) -> operator_result {
    return destination_secret{saved.row.what.id, saved.secret};
  });
}

destinations::known_destination destinations::fresh(const set_destination& wanted, const destination_id& id) const {
  known_destination d;
  d.row.what.id = id;
  d.row.what.kind = wanted.kind;
  d.row.what.owner = wanted.owner;
  d.row.what.env = wanted.env;
  d.row.what.created_at = clock_.now();
  return d;
}

void destinations::give_new_secret(known_destination& d) const {
  d.secret = "whsec_" + crypto::random_hex(32);
  d.row.sealed_secret = keys_.seal(d.secret, sealed_to(d.row.what.id));
}

/// Seals secrets under the current key. The known row may have been read before its secrets were resealed, and must not
/// restore the old sealed texts.
void destinations::reseal_old(known_destination& d) const {
  const auto& id = d.row.what.id;
  if (!d.secret.empty() && !keys_.is_current(d.row.sealed_secret))
    d.row.sealed_secret = keys_.seal(d.secret, sealed_to(id));
  if (!d.previous.empty() && !keys_.is_current(d.row.sealed_previous))
    d.row.sealed_previous = keys_.seal(d.previous, sealed_to(id));
}

planned destinations::prepare(const set_destination_events& wanted) {
  const auto* known = find_kept(wanted.id);
  if (!known) return no_destination(wanted.id);
  auto d = *known;
  d.row.what.events = wanted.events;
  return saving(std::move(d));
}

planned destinations::prepare(const enable_destination& wanted) {
  const auto* known = find_kept(wanted.id);
  if (!known) return no_destination(wanted.id);
  auto d = *known;
  if (d.row.what.status != destination_status::enabled) d.row.what.enabled_at = clock_.now();
  return with_status(std::move(d), destination_status::enabled, {});
}

planned destinations::prepare(const disable_destination& wanted) {
  const auto* known = find_kept(wanted.id);
  if (!known) return no_destination(wanted.id);
  auto made = with_status(*known, destination_status::disabled, wanted.reason);
  if (auto* how = std::get_if<plan>(&made); how && wanted.by_gateway)
    add_mails(how->unit, known->row.what, mail_kind::destination_disabled, clock_.now(), wanted.reason);
  return made;
}

/// Only queues mails. The ids of the mails are derived from the failure, so that a later report, by any node, does not
/// queue them again.
planned destinations::prepare(const report_failing_destination& wanted) {
  const auto* known = find_kept(wanted.id);
  if (!known) return no_destination(wanted.id);
  operator_result answer = named_result{wanted.id.value, std::string{to_string(known->row.what.status)}};
  plan p;
  if (known->row.what.status == destination_status::enabled)
    add_mails(p.unit, known->row.what, mail_kind::destination_failing, wanted.since, {});
  if (p.unit.inserts.empty()) return unchanged{std::move(answer)};
  p.when_duplicate = "the owners have been sent a mail about this failure already";
  p.apply = [answer] { return answer; };
  return p;
}

void destinations::add_mails(unit_of_work& unit, const destination& about, mail_kind kind, time_point since,
                             const std::string& reason) const {
  if (!mails_ || about.kind != destination_kind::merchant) return;
  const merchant_id merchant{about.owner};
  const auto at = std::to_string(to_unix_ms(since));
  for (const auto& address : persons_.owners_of(merchant)) {
    mail_content content{kind, address, {}};
    content.values = {{"merchant", owners_.name(merchant)},
                      {"merchant_id", about.owner},
                      {"mode", std::string{to_string(about.env)}},
                      {"id", about.id.value},
                      {"url", about.url},
                      {"since", at},
                      {"reason", reason}};
    const auto named = std::string{to_string(kind)} + '\n' + about.id.value + '\n' + at + '\n' + address;
    unit.inserts.push_back(
        mails_->seal_notice(content, clock_.now(), "mail_" + crypto::hex(crypto::sha256(named)).substr(0, 32)));
  }
}

planned destinations::prepare(const delete_destination& wanted) {
  const auto* known = find_kept(wanted.id);
  if (!known) return no_destination(wanted.id);
  return with_status(*known, destination_status::deleted, {});
}

planned destinations::prepare(const change_destination_url& wanted) {
  const auto* known = find_kept(wanted.id);
  if (!known) return no_destination(wanted.id);
  const auto& what = known->row.what;
  if (const auto* other = find_by_url(what.owner, what.env, wanted.url); other && other != known)
    return operator_problem{operator_problem::kind::conflict, other->row.what.id.value + " has this URL already"};
  auto d = *known;
  if (d.row.what.url != wanted.url) d.row.what.enabled_at = clock_.now();
  d.row.what.url = wanted.url;
  return saving(std::move(d));
}

planned destinations::prepare(const name_destination& wanted) {
  const auto* known = find_kept(wanted.id);
  if (!known) return no_destination(wanted.id);
  auto d = *known;
  d.row.what.name = wanted.name;
  return saving(std::move(d));
}

planned destinations::prepare(const set_standard_webhooks& wanted) {
  const auto* known = find_kept(wanted.id);
  if (!known) return no_destination(wanted.id);
  auto d = *known;
  d.row.what.standard_webhooks = wanted.on;
  return saving(std::move(d));
}

planned destinations::with_status(known_destination d, destination_status status, std::string reason) {
  d.row.what.status = status;
  d.row.what.disabled_reason = std::move(reason);
  return saving(std::move(d));
}

planned destinations::prepare(const rotate_destination_secret& wanted) {
  const auto* known = find_kept(wanted.id);
  if (!known) return no_destination(wanted.id);
  auto d = *known;
  const bool keep = wanted.overlap > duration_ms{0} && !d.secret.empty();
  d.previous = keep ? d.secret : std::string{};
  d.row.sealed_previous = keep ? keys_.seal(d.previous, sealed_to(wanted.id)) : std::string{};
  d.row.previous_until = keep ? std::optional{clock_.now() + wanted.overlap} : std::nullopt;
  give_new_secret(d);
  return saving(std::move(d), [](const known_destination& saved) -> operator_result {
    return rotated_secret{saved.row.what.id, saved.secret, saved.row.previous_until};
  });
}

/// Makes the destination durable and then known. The command is answered with its id and status.
plan destinations::saving(known_destination d) {
  return saving(std::move(d), [](const known_destination& saved) -> operator_result {
    return named_result{saved.row.what.id.value, std::string{to_string(saved.row.what.status)}};
  });
}

/// The same, answered with the result of `answer`.
template <class Answer>
plan destinations::saving(known_destination d, Answer answer) {
  reseal_old(d);
  plan p;
  p.unit.inserts.push_back(save_destination{d.row});
  p.when_duplicate = "the destination changed meanwhile";
  p.apply = [this, d = std::move(d), answer]() -> operator_result {
    remember(d);
    publish(d);
    // Does nothing for a platform's destination, because no merchant has that id.
    const merchant_id owner{d.row.what.owner};
    owners_.set_destinations(owner, list_of(owner.value));
    owners_.publish(owner);
    return answer(d);
  };
  return p;
}

}  // namespace gateway::actors
