#include "persistence/queries.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>

#include "gateway/base/log.hpp"
#include "persistence/rows.hpp"
#include "persistence/transaction.hpp"

namespace gateway::persistence {

namespace {

void commit_or_throw(db_connection& db, write_result result) {
  if (result != write_result::done) {
    db.rollback();
    throw database_error(database_error::kind::failed, 0, "a row of the store's own was rejected");
  }
  db.commit();
}

constexpr auto no_bound = std::numeric_limits<std::int64_t>::max();

std::int64_t bound(const std::optional<time_point>& at, std::int64_t otherwise) {
  return at ? to_unix_ms(*at) : otherwise;
}

/// Appends all rows that one statement finds.
template <class Row>
void read_into(db_connection& db, const statement& sql, std::span<const cell> parameters, std::vector<Row>& rows,
               Row (*from)(const result_row&)) {
  db.read(sql, parameters, [&](const result_row& row) { rows.push_back(from(row)); });
}

std::optional<std::string> read_text(db_connection& db, const statement& sql, std::span<const cell> parameters) {
  std::optional<std::string> found;
  db.read(sql, parameters, [&](const result_row& row) { found = row.text(0); });
  return found;
}

/// Compares the account again, byte for byte, because MySQL ignores trailing spaces. A row that cannot be read is
/// logged and left out.
void read_connections(db_connection& db, const named_account& with, directory_lookup& into) {
  const cell parameters[] = {std::string_view{with.account}, to_string(with.provider), to_string(with.env),
                             std::int64_t{most_sharing_an_account}};
  db.read(statements::read_connections_with, parameters, [&](const result_row& row) {
    try {
      auto read = connection_from(row);
      if (read.link.account == with.account) into.connections.push_back(std::move(read));
    } catch (const corrupt_row& error) {
      log::error("store.corrupt_row", {{"why", error.what()}, {"entry", row.text(0)}});
    }
  });
}

/// A row that cannot be read is logged and left out, so that the merchant's keys and its other connections are served.
void read_connections(db_connection& db, std::string_view merchant, directory_lookup& into) {
  const cell of[] = {merchant};
  bool all = true;
  db.read(statements::read_connections_of, of, [&](const result_row& row) {
    try {
      into.connections.push_back(connection_from(row));
    } catch (const corrupt_row& error) {
      log::error("store.corrupt_row", {{"why", error.what()}, {"entry", merchant}});
      all = false;
    }
  });
  if (!all) into.unreadable_connections.emplace_back(std::string{merchant});
}

void add_merchant(db_connection& db, std::string_view id, directory_lookup& into) {
  const cell of[] = {id};
  read_into(db, statements::read_merchant, of, into.merchants, merchant_from);
  if (into.merchants.empty()) return;
  read_into(db, statements::read_api_keys_of, of, into.keys, api_key_from);
  const cell twice[] = {id, id};
  read_into(db, statements::read_people_of, of, into.users, user_from);
  read_into(db, statements::read_invited_people_of, twice, into.users, user_from);
  read_into(db, statements::read_memberships_of, of, into.memberships, membership_from);
  read_into(db, statements::read_invitations_of, of, into.invitations, invitation_from);
  read_connections(db, id, into);
  read_into(db, statements::read_routes_of, of, into.routes, route_from);
  read_into(db, statements::read_bindings_of, of, into.bindings, stored_binding_from);
  read_into(db, statements::read_destinations_of, of, into.destinations, destination_from);
}

void add_platform(db_connection& db, std::string_view id, directory_lookup& into) {
  const cell of[] = {id};
  read_into(db, statements::read_platform, of, into.platforms, platform_from);
  read_into(db, statements::read_platform_keys_of, of, into.platform_keys, platform_key_from);
  read_into(db, statements::read_destinations_of, of, into.destinations, destination_from);
}

/// A row that cannot be read is left out, so that the other providers are served.
void read_providers(db_connection& db, const statement& sql, std::span<const cell> parameters, directory_lookup& into) {
  db.read(sql, parameters, [&](const result_row& row) {
    try {
      into.providers.push_back(provider_from(row));
    } catch (const corrupt_row& error) {
      log::error("store.corrupt_row", {{"why", error.what()}, {"entry", row.text(0)}});
    }
  });
}

/// Finds the merchant to whose entry a name of this kind belongs.
const statement* owner_statement(directory_name::kind kind) noexcept {
  switch (kind) {
    case directory_name::kind::key: return &statements::read_owner_of_key;
    case directory_name::kind::destination: return &statements::read_owner_of_destination;
    default: return nullptr;
  }
}

directory_lookup entry_of(db_connection& db, const directory_name& name) {
  directory_lookup entry;
  const cell of[] = {std::string_view{name.text}};
  switch (name.what) {
    case directory_name::kind::merchant: add_merchant(db, name.text, entry); break;
    case directory_name::kind::platform: add_platform(db, name.text, entry); break;
    case directory_name::kind::key:
    case directory_name::kind::destination:
      if (const auto owner = read_text(db, *owner_statement(name.what), of)) add_merchant(db, *owner, entry);
      break;
    case directory_name::kind::user: read_into(db, statements::read_user, of, entry.users, user_from); break;
    case directory_name::kind::email:
      read_into(db, statements::read_user_of_address, of, entry.users, user_from);
      break;
    case directory_name::kind::provider: read_providers(db, statements::read_provider, of, entry); break;
  }
  return entry;
}

template <class Row>
void append(std::vector<Row>& rows, std::vector<Row>& more) {
  rows.insert(rows.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// Several names may belong to one entry, which is added once.
void add_entry(directory_lookup&& entry, directory_lookup& into) {
  for (const auto& one : entry.merchants)
    if (std::ranges::find(into.merchants, one.id, &save_merchant::id) != into.merchants.end()) return;
  append(into.merchants, entry.merchants);
  append(into.keys, entry.keys);
  append(into.users, entry.users);
  append(into.memberships, entry.memberships);
  append(into.invitations, entry.invitations);
  append(into.connections, entry.connections);
  append(into.routes, entry.routes);
  append(into.bindings, entry.bindings);
  append(into.destinations, entry.destinations);
  append(into.platforms, entry.platforms);
  append(into.platform_keys, entry.platform_keys);
  append(into.providers, entry.providers);
  append(into.unreadable_connections, entry.unreadable_connections);
}

redeliver_rows_result redeliver(db_connection& db, const redeliver_rows& what) {
  redeliver_rows_result answer;
  const auto now = to_unix_ms(what.now);
  if (what.id != 0) {
    const cell number[] = {what.id};
    db.read(statements::read_delivery_destination, number,
            [&](const result_row& row) { answer.to = destination_id{row.text(0)}; });
    const cell parameters[] = {now, what.id};
    answer.changed = db.change(statements::redeliver_number, parameters);
  } else {
    const cell parameters[] = {now, std::string_view{what.to.value},
                               bound(what.from, std::numeric_limits<std::int64_t>::min()), bound(what.until, no_bound),
                               std::int64_t{what.limit}};
    answer.changed = db.change(statements::redeliver_failed, parameters);
  }
  return answer;
}

}  // namespace

entity_lookup run(db_connection& db, const find_entity& what) {
  const cell key[] = {std::string_view{what.key.merchant.value}, to_string(what.key.env),
                      std::string_view{what.key.id}};
  entity_lookup answer;
  switch (what.key.kind) {
    case entity_kind::payment:
      db.read(statements::read_payment, key, [&](const result_row& row) {
        answer.found = std::make_shared<const payment>(payment_from(row, what.key));
      });
      break;
    case entity_kind::grant:
      db.read(statements::read_binding, key, [&](const result_row& row) {
        answer.found = std::make_shared<const grant_binding>(binding_from(row, what.key));
      });
      break;
    case entity_kind::customer:
      db.read(statements::read_customer, key, [&](const result_row& row) {
        answer.found = std::make_shared<const customer>(customer_from(row, what.key.merchant));
      });
      break;
    case entity_kind::subscription:
      db.read(statements::read_subscription, key, [&](const result_row& row) {
        answer.found = std::make_shared<const subscription>(subscription_from(row, what.key.merchant));
      });
      break;
    case entity_kind::enrollment:
      db.read(statements::read_enrollment, key, [&](const result_row& row) {
        answer.found = std::make_shared<const sandbox_enrollment>(enrollment_from(row, what.key));
      });
      break;
    case entity_kind::notification:
      // A notification's key is stored without a merchant.
      db.read(statements::read_notification, std::span{key}.subspan(1), [&](const result_row& row) {
        answer.found = std::make_shared<const notification>(notification_from(row));
      });
      break;
  }
  return answer;
}

customers_lookup run(db_connection& db, const find_customers& what) {
  const cell parameters[] = {std::string_view{what.merchant.value}, to_string(environment::live),
                             std::string_view{what.after}, std::int64_t{what.limit}};
  customers_lookup answer;
  db.read(statements::read_customers, parameters, [&](const result_row& row) {
    answer.customers.push_back(std::make_shared<const customer>(customer_from(row, what.merchant)));
  });
  return answer;
}

subscriptions_lookup run(db_connection& db, const find_subscriptions& what) {
  const cell parameters[] = {std::string_view{what.merchant.value}, to_string(environment::live),
                             std::string_view{what.after}, std::int64_t{what.limit}};
  subscriptions_lookup answer;
  db.read(statements::read_subscriptions, parameters, [&](const result_row& row) {
    answer.subscriptions.push_back(std::make_shared<const subscription>(subscription_from(row, what.merchant)));
  });
  return answer;
}

subscription_keys_lookup run(db_connection& db, const find_subscription_keys& what) {
  const bool by_provider_id = !what.provider_id.empty();
  const cell parameters[] = {std::string_view{by_provider_id ? what.provider_id : what.id}, std::int64_t{what.limit}};
  const auto& sql =
      by_provider_id ? statements::read_subscription_keys_by_provider_id : statements::read_subscription_keys_by_id;
  subscription_keys_lookup answer;
  db.read(sql, parameters,
          [&](const result_row& row) { answer.keys.push_back(key_from(row, entity_kind::subscription)); });
  return answer;
}

command_lookup run(db_connection& db, const find_command& what) {
  const cell key[] = {std::string_view{what.key.merchant.value}, to_string(what.key.env),
                      std::string_view{what.key.principal}, std::string_view{what.key.key}};
  command_lookup answer;
  db.read(statements::read_command, key, [&](const result_row& row) { answer.found = command_from(row, what.key); });
  return answer;
}

timeline_lookup run(db_connection& db, const find_timeline& what) {
  const std::string_view merchant = what.key.merchant.value, env = to_string(what.key.env), id = what.key.id;
  const auto kind = to_string(what.key.kind);
  const cell keys[] = {merchant, env, kind, id, merchant, env, kind, id};
  timeline_lookup answer;
  db.read(statements::read_timeline, keys,
          [&](const result_row& row) { answer.entries.push_back(timeline_entry_from(row)); });
  return answer;
}

due_lookup run(db_connection& db, const find_due& what) {
  // Each kind that can be due needs a statement here.
  struct table {
    entity_kind kind;
    const statement* all;
    const statement* open;  ///< null: none has an open operation
  };
  static constexpr table tables[] = {
      {entity_kind::payment, &statements::read_due_payments, &statements::read_due_open_payments},
      {entity_kind::subscription, &statements::read_due_subscriptions, &statements::read_due_open_subscriptions},
      {entity_kind::enrollment, &statements::read_due_enrollments, nullptr},
      {entity_kind::notification, &statements::read_due_notifications, nullptr}};
  const std::int64_t now = to_unix_ms(what.now), later_than = to_unix_ms(what.later_than), limit = what.limit;
  const cell all[] = {now, limit};
  const cell open[] = {now, later_than, limit};
  due_lookup answer;
  for (const auto& each : tables) {
    const auto add = [&](const result_row& row) { answer.keys.push_back(key_from(row, each.kind)); };
    if (!what.open_only)
      db.read(*each.all, all, add);
    else if (each.open)
      db.read(*each.open, open, add);
  }
  return answer;
}

directory_lookup run(db_connection& db, const find_directory& what) {
  directory_lookup found;
  if (what.every_platform) {
    read_into(db, statements::read_platforms, {}, found.platforms, platform_from);
    read_into(db, statements::read_platform_keys, {}, found.platform_keys, platform_key_from);
    read_into(db, statements::read_destinations_of_platforms, {}, found.destinations, destination_from);
    read_providers(db, statements::read_providers, {}, found);
  }
  for (const auto& name : what.of) {
    try {
      add_entry(entry_of(db, name), found);
    } catch (const corrupt_row& error) {
      log::error("store.corrupt_row", {{"why", error.what()}, {"entry", name.text}});  // the others are still served
    }
  }
  if (what.account) read_connections(db, *what.account, found);
  return found;
}

directory_head read_head(db_connection& db) {
  directory_head head;
  db.read(statements::read_head, {}, [&](const result_row& row) { head = {row.integer(0), row.integer(1)}; });
  return head;
}

directory_news run(db_connection& db, const find_directory_news& what) {
  directory_news news;
  news.head = read_head(db);
  news.told_to = news.head.number;
  if (what.since < 0 || news.head.number <= what.since) return news;
  constexpr std::int64_t most = 500;
  const cell parameters[] = {what.since, most};
  std::vector<std::pair<std::int64_t, directory_change>> rows;
  db.read(statements::read_log, parameters,
          [&](const result_row& row) { rows.emplace_back(row.integer(0), directory_change_from(row)); });
  news.any = rows.empty() || rows.front().first != what.since + 1;
  if (news.any) return news;
  if (std::ssize(rows) >= most) {
    // Some changes of the last number may be missing.
    const auto last = rows.back().first;
    std::erase_if(rows, [&](const auto& row) { return row.first == last; });
    news.any = rows.empty();
    news.told_to = last - 1;
  } else {
    // The log may have grown since the head was read.
    news.told_to = rows.back().first;
  }
  std::set<directory_change> changed;
  for (auto& [number, change] : rows) changed.insert(std::move(change));
  news.changed.assign(changed.begin(), changed.end());
  return news;
}

destinations_lookup run(db_connection& db, const find_destinations& what) {
  std::vector<cell> parameters{to_string(what.env.value_or(environment::test)),
                               to_string(what.env.value_or(environment::live))};
  const bool anybodys = what.owner.empty();
  if (!anybodys) parameters.emplace_back(std::string_view{what.owner});
  std::int64_t all = 0;
  db.read(anybodys ? statements::count_destinations : statements::count_destinations_of, parameters,
          [&](const result_row& row) { all = row.integer(0); });
  parameters.emplace_back(std::int64_t{what.limit});
  destinations_lookup answer;
  db.read(anybodys ? statements::list_destinations : statements::list_destinations_of, parameters,
          [&](const result_row& row) {
            try {
              answer.destinations.push_back(destination_from(row));
            } catch (const corrupt_row& error) {
              log::error("store.corrupt_row", {{"why", error.what()}});  // the other rows of the list are still shown
            }
          });
  std::ranges::sort(answer.destinations, {}, [](const stored_destination& row) {
    return std::tie(row.what.owner, row.what.env, row.what.created_at, row.what.id);
  });
  answer.left_out = static_cast<std::uint64_t>(std::max<std::int64_t>(0, all - std::int64_t{what.limit}));
  return answer;
}

grant_lookup run(db_connection& db, const find_grant& what) {
  const cell id[] = {std::string_view{what.id.value}, std::string_view{what.id.value}};
  grant_lookup answer;
  db.read(statements::read_binding_of_grant, id, [&](const result_row& row) {
    if (!answer.binding) answer = grant_lookup_from(row);
  });
  return answer;
}

grants_lookup run(db_connection& db, const find_grants& what) {
  const std::string_view merchant = what.merchant.value, platform = what.platform.value, id = what.before_id.value;
  const auto before = bound(what.before, no_bound);
  const std::int64_t limit = what.limit;
  std::vector<cell> parameters;
  for (int half = 0; half < 2; ++half) {
    if (!merchant.empty()) parameters.emplace_back(merchant);
    if (!platform.empty()) parameters.emplace_back(platform);
    parameters.insert(parameters.end(), {before, before, id, limit});
  }
  parameters.emplace_back(limit);
  const auto& sql = !merchant.empty()
                        ? (platform.empty() ? statements::read_grants_of_merchant : statements::read_grants_of_both)
                    : !platform.empty() ? statements::read_grants_of_platform
                                        : statements::read_grants;
  grants_lookup answer;
  db.read(sql, parameters, [&](const result_row& row) { answer.grants.push_back(grant_from(row)); });
  return answer;
}

user_lookup run(db_connection& db, const find_user& what) {
  const cell key[] = {std::string_view{what.email_key}};
  user_lookup answer;
  db.read(statements::read_person, key, [&](const result_row& row) { answer.found = person_from(row); });
  return answer;
}

spent_token_lookup run(db_connection& db, const find_spent_token& what) {
  const cell key[] = {std::string_view{what.merchant.value}, std::string_view{what.token_id}};
  spent_token_lookup answer;
  db.read(statements::read_spent_token, key, [&](const result_row&) { answer.spent = true; });
  return answer;
}

invitations_lookup run(db_connection& db, const find_invitations& what) {
  const cell of[] = {std::string_view{what.user.value}, std::int64_t{most_invitations_told}};
  invitations_lookup answer;
  db.read(statements::read_invitations_of_user, of, [&](const result_row& row) { add_invitation_row(answer, row); });
  return answer;
}

session_lookup run(db_connection& db, const find_session& what) {
  const cell hash[] = {std::string_view{what.hash}};
  session_lookup answer;
  db.read(statements::read_session, hash, [&](const result_row& row) { add_session_row(answer.found, row); });
  return answer;
}

sessions_lookup run(db_connection& db, const find_sessions& what) {
  const cell user[] = {std::string_view{what.user.value}};
  sessions_lookup answer;
  read_into(db, statements::read_sessions_of, user, answer.sessions, listed_session_from);
  return answer;
}

audit_lookup run(db_connection& db, const find_audit& what) {
  const bool by_user = !what.user.empty();
  const auto before = bound(what.before, no_bound);
  const cell parameters[] = {std::string_view{by_user ? what.user.value : what.merchant.value}, before, before,
                             std::string_view{what.before_id}, std::int64_t{what.limit}};
  audit_lookup answer;
  read_into(db, by_user ? statements::read_audit_of_user : statements::read_audit_of_merchant, parameters,
            answer.entries, audit_from);
  return answer;
}

notifications_lookup run(db_connection& db, const find_notifications& what) {
  std::vector<cell> parameters;
  if (what.state) parameters.emplace_back(to_string(*what.state));
  const auto before = bound(what.before, no_bound);
  const auto provider = what.provider ? to_string(*what.provider) : std::string_view{};
  parameters.insert(parameters.end(), {before, before, std::string_view{what.before_id}});
  parameters.insert(parameters.end(), {to_string(what.env.value_or(environment::test)),
                                       to_string(what.env.value_or(environment::live)), provider, provider});
  parameters.emplace_back(std::int64_t{what.limit});
  notifications_lookup answer;
  db.read(what.state ? statements::read_notifications_of_state : statements::read_notifications, parameters,
          [&](const result_row& row) {
            try {
              answer.notifications.push_back(std::make_shared<const notification>(notification_from(row)));
            } catch (const corrupt_row& error) {
              log::error("store.corrupt_row", {{"why", error.what()}});  // the other rows of the list are still shown
            }
          });
  return answer;
}

due_deliveries_lookup run(db_connection& db, const find_due_deliveries& what) {
  const std::int64_t most = what.most_data_bytes;
  const cell parameters[] = {most, most, std::string_view{what.to.value}, to_unix_ms(what.now),
                             std::int64_t{what.limit}};
  due_deliveries_lookup answer;
  db.read(statements::read_due_deliveries, parameters, [&](const result_row& row) {
    try {
      answer.jobs.push_back(delivery_job_from(row));
    } catch (const corrupt_row& error) {
      // A corrupt row is skipped, so that the rows after it are still delivered.
      log::error("store.corrupt_row", {{"why", error.what()}, {"destination", what.to.value}});
      ++answer.unreadable;
    }
  });
  db.read(statements::read_next_due, {parameters + 2, 2}, [&](const result_row& row) {
    if (!row.is_null(0)) answer.next_due = from_unix_ms(row.integer(0));
  });
  return answer;
}

backlog_lookup run(db_connection& db, const find_backlog& what) {
  backlog_lookup answer;
  const cell from[] = {what.from_number};
  const bool all = what.from_number <= 0;
  const auto& sql = all ? statements::read_backlog : statements::read_fresh_backlog;
  db.read(sql, all ? std::span<const cell>{} : std::span<const cell>{from}, [&](const result_row& row) {
    try {
      answer.destinations.push_back(backlog_from(row));
    } catch (const corrupt_row& error) {
      log::error("store.corrupt_row", {{"why", error.what()}});  // one destination is left out, the others stay
    }
  });
  return answer;
}

deliveries_lookup run(db_connection& db, const find_deliveries& what) {
  deliveries_lookup answer;
  const auto read = [&](const statement& sql, std::span<const cell> parameters) {
    db.read(sql, parameters, [&](const result_row& row) {
      try {
        answer.jobs.push_back(delivery_job_from(row));
      } catch (const corrupt_row& error) {
        log::error("store.corrupt_row", {{"why", error.what()}});  // the other rows of the list are still shown
      }
    });
  };
  const auto below = what.before != 0 ? what.before : no_bound;
  const std::int64_t limit = what.limit;
  if (what.id != 0) {
    const cell number[] = {what.id};
    read(statements::read_delivery, number);
  } else if (what.subject) {
    const auto& of = *what.subject;
    const cell parameters[] = {std::string_view{of.merchant.value},
                               std::string_view{of.id},
                               to_string(of.env),
                               to_string(of.kind),
                               below,
                               limit};
    read(statements::read_deliveries_of_subject, parameters);
  } else if (!what.to.value.empty()) {
    const auto pick = [&](delivery_status any) { return to_string(what.status.value_or(any)); };
    const cell parameters[] = {pick(delivery_status::pending),
                               pick(delivery_status::delivered),
                               pick(delivery_status::failed),
                               std::string_view{what.to.value},
                               below,
                               limit};
    read(statements::read_deliveries_to, parameters);
  } else if (what.status) {
    const cell parameters[] = {to_string(*what.status), below, limit};
    read(statements::read_deliveries_of_status, parameters);
  } else {
    const cell parameters[] = {below, limit};
    read(statements::read_deliveries, parameters);
  }
  return answer;
}

delivery_count run(db_connection& db, const count_deliveries& what) {
  const cell parameters[] = {to_string(what.status), std::string_view{what.to.value}, std::int64_t{what.most}};
  delivery_count answer;
  db.read(statements::count_deliveries_to, parameters,
          [&](const result_row& row) { answer.count = static_cast<std::uint64_t>(row.integer(0)); });
  return answer;
}

events_lookup run(db_connection& db, const find_events& what) {
  const std::string_view merchant = what.merchant.value, subject = what.subject;
  const auto first = to_string(what.env.value_or(environment::test)),
             second = to_string(what.env.value_or(environment::live));
  const auto before = bound(what.before, no_bound);
  const std::int64_t limit = what.limit;
  events_lookup answer;
  const auto each = [&](const result_row& row) { answer.events.push_back(event_from(row)); };
  if (subject.empty()) {
    const cell parameters[] = {merchant, first, second, before, limit};
    db.read(statements::read_events, parameters, each);
  } else {
    const cell parameters[] = {merchant, first, second, to_string(what.kind), subject, before, limit};
    db.read(statements::read_events_of_subject, parameters, each);
  }
  return answer;
}

purge_result run(db_connection& db, const purge_commands& what) {
  const cell parameters[] = {to_unix_ms(what.before), std::int64_t{what.limit}};
  purge_result answer;
  in_transaction(db, [&] {
    answer.deleted = db.change(statements::purge_commands, parameters);
    answer.notifications = db.change(statements::purge_notifications, parameters);
  });
  return answer;
}

std::optional<time_point> oldest_command(db_connection& db) {
  std::optional<time_point> at;
  db.read(statements::read_oldest_command, {}, [&](const result_row& row) {
    if (!row.is_null(0)) at = from_unix_ms(row.integer(0));
  });
  db.rollback();  // on a writing connection a read begins a transaction
  return at;
}

redeliver_rows_result run(db_connection& db, const redeliver_rows& what) {
  redeliver_rows_result answer;
  in_transaction(db, [&] { answer = redeliver(db, what); });
  return answer;
}

std::optional<std::string> read_meta(db_connection& db, std::string_view name) {
  const cell key[] = {name};
  std::optional<std::string> value;
  db.read(statements::read_meta, key, [&](const result_row& row) { value = row.text(0); });
  return value;
}

bool put_meta_if_absent(db_connection& db, std::string_view name, std::string_view value) {
  const cell row[] = {name, value};
  db.begin();
  const auto result = db.write(statements::insert_meta, row);
  if (result == write_result::duplicate) {
    db.rollback();
    return false;
  }
  commit_or_throw(db, result);
  return true;
}

void probe_write(db_connection& db) {
  const auto now = std::to_string(to_unix_ms(system_wall_clock{}.now()));
  const cell row[] = {std::string_view{"last_connected"}, std::string_view{now}};
  db.begin();
  commit_or_throw(db, db.write(statements::put_meta, row));
}

}  // namespace gateway::persistence
