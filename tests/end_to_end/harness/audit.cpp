#include "audit.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace gateway::e2e {

namespace {

using lines = std::vector<std::string>;
/// The lines about each payment, in order.
using by_payment = std::map<std::string, lines>;

std::string join(const lines& all) {
  std::string text;
  for (const auto& line : all) text += "\n    " + line;
  return text.empty() ? " nothing" : text;
}

std::string hex(std::string_view text) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += {digits[byte >> 4], digits[byte & 15]};
  }
  return out;
}

/// The payment's history according to its client's answers.
lines timeline_of(const payment_record& record) {
  lines all;
  for (const auto& now : record.steps) {
    const auto name = now.operation == "create" ? "authorize" : now.operation;
    if (now.in_doubt()) all.push_back("attempt " + name + " unknown");
    all.push_back("attempt " + name + (now.state == "failed" ? " declined" : " approved"));
    if (now.state != "authorized") all.push_back("event payment." + now.state + " published");
  }
  return all;
}

/// The effects that the provider must have executed for it: exactly these, in this order.
lines effects_of(const payment_record& record) {
  lines all;
  for (const auto& now : record.steps)
    if (now.state != "failed") all.push_back(now.operation + ' ' + std::to_string(now.amount));
  return all;
}

class auditor {
 public:
  auditor(const gateway_process& gateway, const merchant_account& merchant, const std::vector<payment_record>& records)
      : gateway_{gateway}, merchant_{merchant}, stories_{records}, caller_{gateway, merchant.test} {}

  lines run(const std::filesystem::path& ledger) {
    for (const auto& record : stories_) check_answers(record);
    check_ledger(ledger);
    check_payment_rows();
    check_timeline_rows();
    check_command_rows();
    check_ledger_rows();
    return std::move(broken_);
  }

 private:
  void fault(const std::string& where, const std::string& what) {
    if (broken_.size() < 50) broken_.push_back(where + ": " + what);
  }

  lines rows(const std::string& query) const { return lines_of(gateway_.sql(query + ";")); }
  std::string of_merchant() const { return " WHERE merchant_id = '" + merchant_.id + "'"; }

  /// Every key replays its first answer, and the payment is as its client knows it.
  void check_answers(const payment_record& record) {
    for (const auto& now : record.steps) {
      const auto again = sent_again(now);
      if (again.body != now.answer.body || again.status != now.answer.status)
        fault(record.payment_id, now.operation + " was told " + now.answer.body + " and is now told " + again.body);
      if (!again.replayed()) fault(record.payment_id, now.operation + " is not a replay when sent again");
    }
    const auto view = json::parse(answer_to([&] { return caller_.view(record.payment_id); }).body);
    if (!(view["state"] == record.last_state() && view["refunded_total"] == record.moved("refund") &&
          view["amount"] == record.amount))
      fault(record.payment_id, "its client knows " + record.last_state() + ", " +
                                   std::to_string(record.moved("refund")) + " refunded; it is " + view.dump());
    lines found;
    const auto timeline = answer_to([&] { return caller_.timeline(record.payment_id); });
    for (const auto& entry : json::parse(timeline.body)["timeline"].items())
      found.push_back(entry["kind"].text() + ' ' + entry["operation"].text() + ' ' + entry["status"].text());
    if (found != timeline_of(record))
      fault(record.payment_id,
            "its client's answers make the timeline" + join(timeline_of(record)) + "\n  it is" + join(found));
  }

  reply sent_again(const step& done) {
    return answer_to([&] { return caller_.post(done.target, done.body, {done.key, {}}); });
  }

  /// Repeats a request as a client does while the gateway is busy or its database is away. Both are expected: outages
  /// leave webhooks behind, and while those are late, writes are limited; and connections to a database that is back
  /// return one by one, some of them up to a second after the node itself.
  template <class Ask>
  reply answer_to(Ask ask) {
    reply reported;
    eventually([&] {
      reported = ask();
      return reported.status != 503;
    });
    return reported;
  }

  void check_ledger(const std::filesystem::path& file) {
    std::set<std::string> provider_keys;
    by_payment effects;
    for (const auto& entry : read_ledger(file)) {
      if (entry.merchant != merchant_.id) continue;
      if (entry.status != "approved")
        fault(entry.payment_id, "the provider was asked for two things under " + entry.provider_key);
      if (!provider_keys.insert(entry.provider_key).second)
        fault(entry.payment_id, "the provider executed " + entry.provider_key + " twice");
      effects[entry.payment_id].push_back(entry.operation + ' ' + std::to_string(entry.amount));
    }
    for (const auto& record : stories_) {
      const auto found = effects.extract(record.payment_id);
      const auto executed = found.empty() ? lines{} : found.mapped();
      if (executed != effects_of(record))
        fault(record.payment_id,
              "its client was told of" + join(effects_of(record)) + "\n  the provider executed" + join(executed));
    }
    for (const auto& [payment, executed] : effects)
      fault(payment, "executed by the provider for no client:" + join(executed));
  }

  void check_payment_rows() {
    by_payment found;
    for (const auto& row : rows("SELECT payment_id, state, amount, captured, refunded,"
                                " CASE WHEN open_command IS NULL THEN 'closed' ELSE 'open' END FROM payments" +
                                of_merchant())) {
      const auto tab = row.find('\t');
      found[row.substr(0, tab)].push_back(row.substr(tab + 1));
      const auto columns = columns_of(row);
      if (std::stoll(columns.at(4)) > std::stoll(columns.at(3)))
        fault(columns.at(0), "more is refunded than captured: " + row);
    }
    by_payment wanted;
    for (const auto& record : stories_) {
      const auto number = [&](const std::string& operation) { return std::to_string(record.moved(operation)); };
      wanted[record.payment_id] = {record.last_state() + '\t' + std::to_string(record.amount) + '\t' +
                                   number("capture") + '\t' + number("refund") + "\tclosed"};
    }
    compare("payments", wanted, found);
  }

  void check_timeline_rows() {
    by_payment found;
    for (const auto& row : rows("SELECT subject_id, seq, 'attempt', operation, status FROM attempts" + of_merchant() +
                                " UNION ALL SELECT subject_id, seq, 'event', type, status FROM events" + of_merchant() +
                                " ORDER BY 1, 2")) {
      const auto columns = columns_of(row);
      auto& entries = found[columns.at(0)];
      entries.push_back(columns.at(2) + ' ' + columns.at(3) + ' ' + columns.at(4));
      if (columns.at(1) != std::to_string(entries.size())) fault(columns.at(0), "its timeline has a gap before " + row);
    }
    by_payment wanted;
    for (const auto& record : stories_) wanted[record.payment_id] = timeline_of(record);
    compare("attempts and events", wanted, found);
  }

  /// The gateway's own ledger has exactly one entry for each movement that a client's answer reports and for each
  /// payment that failed. Each entry adds up, and so does their total; what the customers have paid agrees with the
  /// payments.
  void check_ledger_rows() {
    by_payment found;
    for (const auto& row : rows("SELECT payment_id, kind, amount, customer_amount FROM ledger" + of_merchant() +
                                " ORDER BY payment_id, seq")) {
      const auto columns = columns_of(row);
      found[columns.at(0)].push_back(columns.at(1) + ' ' + columns.at(2) + ' ' + columns.at(3));
    }
    by_payment wanted;
    for (const auto& record : stories_) {
      lines entries;
      for (const auto& now : record.steps) {
        const auto amount = std::to_string(now.state == "failed" ? record.amount : now.amount);
        if (now.state == "failed") entries.push_back("failed " + amount + " 0");
        if (now.state != "failed" && now.operation == "capture")
          entries.push_back("captured " + amount + " -" + amount);
        if (now.operation == "refund") entries.push_back("refunded " + amount + ' ' + amount);
      }
      if (!entries.empty()) wanted[record.payment_id] = std::move(entries);
    }
    compare("the ledger", wanted, std::move(found));
    for (const auto& [payment, what] : faults_of_ledger(gateway_, merchant_.id)) fault(payment, what);
  }

  void check_command_rows() {
    by_payment wanted, found;
    for (const auto& row :
         rows("SELECT subject_id, idempotency_key, operation, amount, COALESCE(status, 0), COALESCE(HEX(body), '')"
              " FROM commands" +
              of_merchant() + " ORDER BY subject_id, idempotency_key")) {
      const auto tab = row.find('\t');
      found[row.substr(0, tab)].push_back(row.substr(tab + 1));
    }
    for (const auto& record : stories_) {
      auto& commands = wanted[record.payment_id];
      for (const auto& now : record.steps)
        commands.push_back(now.key + '\t' + now.operation + '\t' + std::to_string(now.amount) + '\t' +
                           std::to_string(now.answer.status) + '\t' + hex(now.answer.body));
      std::ranges::sort(commands);
    }
    compare("commands", wanted, found);
  }

  void compare(const std::string& table, const by_payment& wanted, by_payment found) {
    for (const auto& [payment, entries] : wanted) {
      const auto node = found.extract(payment);
      const auto stored = node.empty() ? lines{} : node.mapped();
      if (stored != entries)
        fault(payment, "its client's answers make in " + table + join(entries) + "\n  there is" + join(stored));
    }
    for (const auto& [payment, stored] : found) fault(payment, "is of no client, and has in " + table + join(stored));
  }

  const gateway_process& gateway_;
  const merchant_account& merchant_;
  const std::vector<payment_record>& stories_;
  api caller_;
  lines broken_;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> faults_of_ledger(const gateway_process& gateway,
                                                                  const std::string& merchant) {
  const auto of_merchant = " WHERE merchant_id = '" + merchant + "'";
  std::vector<std::pair<std::string, std::string>> faults;
  const auto look = [&](const std::string& what, const std::string& query) {
    for (const auto& row : lines_of(gateway.sql(query + ";"))) faults.emplace_back(columns_of(row).at(0), what + row);
  };
  const std::string sum = "customer_amount + provider_amount + merchant_amount";
  look("an entry of its ledger does not add up: ",
       "SELECT payment_id, seq FROM ledger" + of_merchant + " AND " + sum + " <> 0");
  look("the ledger does not add up: ",
       "SELECT 'ledger', SUM(" + sum + ") FROM ledger" + of_merchant + " HAVING SUM(" + sum + ") <> 0");
  look("its ledger has an entry twice: ", "SELECT payment_id, seq FROM ledger" + of_merchant +
                                              " GROUP BY environment, payment_id, seq HAVING COUNT(*) > 1");
  // Checks both directions, so that entries without a payment are found, too. A failed cycle may be paid later. An
  // amount that a dispute has taken belongs to the customer, and is no refund.
  const auto total = [](const std::string& kind) {
    return "SUM(CASE kind WHEN '" + kind + "' THEN amount ELSE 0 END)";
  };
  look("its row and its ledger differ: ",
       "SELECT payment_id, environment, SUM(captured), SUM(refunded), SUM(paid) FROM (SELECT payment_id, environment, "
       "captured, refunded, captured - refunded AS paid FROM payments" +
           of_merchant + " UNION ALL SELECT payment_id, environment, -" + total("captured") + ", " +
           total("refund_failed") + " - " + total("refunded") + ", SUM(customer_amount) - " + total("dispute_opened") +
           " + " + total("dispute_won") + " FROM ledger" + of_merchant +
           " GROUP BY payment_id, environment) AS sides GROUP BY payment_id, environment HAVING SUM(captured) <> 0 OR "
           "SUM(refunded) <> 0 OR SUM(paid) <> 0");
  look("its ledger takes back more than it had booked: ",
       "SELECT payment_id, environment FROM ledger" + of_merchant + " GROUP BY payment_id, environment HAVING " +
           total("refund_failed") + " > " + total("refunded") + " OR " + total("dispute_won") + " + " +
           total("dispute_lost") + " > " + total("dispute_opened"));
  look("it has failed, and its ledger does not say so once: ",
       "SELECT p.payment_id, COUNT(l.seq) FROM payments p LEFT JOIN ledger l ON l.merchant_id = p.merchant_id AND "
       "l.environment = p.environment AND l.payment_id = p.payment_id AND l.kind = 'failed' WHERE p.merchant_id = '" +
           merchant + "' AND p.state = 'failed' GROUP BY p.environment, p.payment_id HAVING COUNT(l.seq) <> 1");
  return faults;
}

lines left_open(const gateway_process& gateway, const merchant_account& merchant, std::chrono::seconds within) {
  const auto of_merchant = " WHERE merchant_id = '" + merchant.id + "'";
  lines open;
  eventually(
      [&] {
        open = lines_of(gateway.sql("SELECT payment_id, state, version, due_at, open_command FROM payments" +
                                    of_merchant + " AND open_command IS NOT NULL UNION ALL" +
                                    " SELECT subject_id, operation, amount, created_at, idempotency_key FROM commands" +
                                    of_merchant + " AND status IS NULL;"));
        return open.empty();
      },
      within);
  return open;
}

lines audit(const gateway_process& gateway, const std::filesystem::path& ledger, const merchant_account& merchant,
            const std::vector<payment_record>& records) {
  return auditor{gateway, merchant, records}.run(ledger);
}

}  // namespace gateway::e2e
