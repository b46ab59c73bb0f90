#include "persistence/queries.hpp"

#include <limits>
#include <set>

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

/// The statements that read merchants and platforms: all of them, or one.
struct directory_statements {
  const statement& merchants;
  const statement& keys;
  const statement& people;
  const statement& memberships;
  const statement& connections;
  const statement& routes;
  const statement& bindings;
  const statement& platforms;
  const statement& platform_keys;
  std::span<const cell> parameters{};
};

constexpr directory_statements whole_directory{
    statements::read_merchants,   statements::read_api_keys,    statements::read_people,
    statements::read_memberships, statements::read_connections, statements::read_routes,
    statements::read_bindings,    statements::read_platforms,   statements::read_platform_keys};

directory_statements one_entry(std::span<const cell> id) {
  return {statements::read_merchant,         statements::read_api_keys_of,
          statements::read_people_of,        statements::read_memberships_of,
          statements::read_connections_of,   statements::read_routes_of,
          statements::read_bindings_of,      statements::read_platform,
          statements::read_platform_keys_of, id};
}

void read_merchants(db_connection& db, const directory_statements& by, directory_lookup& into) {
  const auto read = [&](const statement& sql, auto take) { db.read(sql, by.parameters, take); };
  read(by.merchants, [&](const result_row& row) { into.merchants.push_back(merchant_from(row)); });
  read(by.keys, [&](const result_row& row) { into.keys.push_back(api_key_from(row)); });
  read(by.people, [&](const result_row& row) { into.users.push_back(user_from(row)); });
  read(by.memberships, [&](const result_row& row) { into.memberships.push_back(membership_from(row)); });
  read(by.connections, [&](const result_row& row) { into.connections.push_back(connection_from(row)); });
  read(by.routes, [&](const result_row& row) { into.routes.push_back(route_from(row)); });
  read(by.bindings, [&](const result_row& row) { into.bindings.push_back(stored_binding_from(row)); });
}

void read_platforms(db_connection& db, const directory_statements& by, directory_lookup& into) {
  db.read(by.platforms, by.parameters, [&](const result_row& row) { into.platforms.push_back(platform_from(row)); });
  db.read(by.platform_keys, by.parameters,
          [&](const result_row& row) { into.platform_keys.push_back(platform_key_from(row)); });
}

void read_destinations(db_connection& db, const statement& sql, std::span<const cell> parameters,
                       directory_lookup& into) {
  db.read(sql, parameters, [&](const result_row& row) { into.destinations.push_back(destination_from(row)); });
}

void add_entry(db_connection& db, const directory_change& of, directory_lookup& into) {
  const cell id[] = {std::string_view{of.id}};
  switch (of.what) {
    case directory_change::kind::merchant: read_merchants(db, one_entry(id), into); break;
    case directory_change::kind::platform: read_platforms(db, one_entry(id), into); break;
    case directory_change::kind::node: return;
  }
  read_destinations(db, statements::read_destinations_of, id, into);
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
      {entity_kind::enrollment, &statements::read_due_enrollments, nullptr}};
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
  if (!what.of) {
    read_merchants(db, whole_directory, found);
    read_platforms(db, whole_directory, found);
    read_destinations(db, statements::read_destinations, {}, found);
  } else {
    add_entry(db, *what.of, found);
  }
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
  if (what.since >= 0 && news.head.number <= what.since) return news;
  if (what.since >= 0) {
    // Past so many it is quicker to read the whole.
    constexpr std::int64_t most = 500;
    const cell parameters[] = {what.since, most};
    std::optional<std::int64_t> first;
    std::set<directory_change> changed;
    std::int64_t rows = 0;
    db.read(statements::read_log, parameters, [&](const result_row& row) {
      if (!first) first = row.integer(0);
      changed.insert(directory_change_from(row));
      ++rows;
    });
    news.whole = first != what.since + 1 || rows >= most;
    news.changed.assign(changed.begin(), changed.end());
  } else {
    news.whole = true;
  }
  if (news.whole) {
    news.rows = run(db, find_directory{});
  } else {
    for (const auto& entry : news.changed) add_entry(db, entry, news.rows);
  }
  return news;
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

session_lookup run(db_connection& db, const find_session& what) {
  const cell hash[] = {std::string_view{what.hash}};
  session_lookup answer;
  db.read(statements::read_session, hash, [&](const result_row& row) { add_session_row(answer.found, row); });
  return answer;
}

due_deliveries_lookup run(db_connection& db, const find_due_deliveries& what) {
  const cell parameters[] = {std::string_view{what.to.value}, to_unix_ms(what.now), std::int64_t{what.limit}};
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
  db.read(statements::read_next_due, {parameters, 2}, [&](const result_row& row) {
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
  in_transaction(db, [&] { answer.deleted = db.change(statements::purge_commands, parameters); });
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
