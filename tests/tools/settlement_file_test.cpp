// Settlement reports of providers, as in their files.
#include <catch2/catch.hpp>

#include <sstream>

#include "settlement_file.hpp"

using namespace gateway;
using namespace gateway::ctl;
using Catch::Contains;

namespace {

using rows = std::vector<std::vector<std::string>>;

rows records_of(const std::string& text) {
  std::istringstream in{text};
  csv_records records{in};
  rows all;
  for (std::vector<std::string> fields; records.next(fields);) all.push_back(fields);
  return all;
}

struct read_report {
  std::vector<settlement_line> lines;
  std::uint64_t others = 0;
};

read_report read_as(provider_kind provider, const std::string& text, const std::string& merchant = {}) {
  std::istringstream in{text};
  read_report read;
  read.others = read_settlement(in, {provider, environment::live, merchant}, [&](const settlement_line& line) {
                  read.lines.push_back(line);
                }).others;
  return read;
}

std::string shown(const settlement_line& line) {
  std::string text = std::to_string(line.line) + ' ' + std::string{to_string(line.what)} + ' ' +
                     std::to_string(line.minor) + ' ' + (line.unit ? std::string{line.unit->code()} : "-") + ' ' +
                     line.ref + ' ' + (line.at ? format_seconds(*line.at) : "-");
  for (const auto& ref : line.of_payment) text += ' ' + ref;
  return text;
}

std::vector<std::string> shown(const read_report& read) {
  std::vector<std::string> all;
  for (const auto& line : read.lines) all.push_back(shown(line));
  return all;
}

using texts = std::vector<std::string>;

}  // namespace

TEST_CASE("CSV records are read as in RFC 4180") {
  CHECK(records_of("").empty());
  CHECK(records_of("a,b\nc,d\n") == rows{{"a", "b"}, {"c", "d"}});
  CHECK(records_of("a,b\r\nc,d") == rows{{"a", "b"}, {"c", "d"}});
  CHECK(records_of("\xef\xbb\xbf\"a\",b\n") == rows{{"a", "b"}});
  CHECK(records_of("\"a,\"\"b\"\"\nc\",d\n\n,\n") == rows{{"a,\"b\"\nc", "d"}, {"", ""}});
}

TEST_CASE("malformed CSV is reported with its line") {
  const auto fault_of = [](const std::string& text) {
    try {
      records_of(text);
    } catch (const bad_file& fault) {
      return std::string{fault.what()};
    }
    return std::string{"none"};
  };
  CHECK_THAT(fault_of("a\nb\"c\n"), Contains("line 2") && Contains("quote"));
  CHECK_THAT(fault_of("a\n\"b\n"), Contains("line 2") && Contains("never closed"));
  CHECK_THAT(fault_of("a\n\"b\"c\n"), Contains("line 2"));
  CHECK_THAT(fault_of("a\n" + std::string(70'000, 'x')), Contains("line 2: is longer than 64 KiB"));
  std::string endless = "a\n\"";
  for (int i = 0; i < 60'000; ++i) endless += "twenty bytes of text\n";
  CHECK_THAT(fault_of(endless), Contains("too long"));
}

TEST_CASE("the sandbox's report is read by mode and merchant") {
  const std::string text =
      "reference,payment_id,kind,amount,currency,occurred_at,merchant_id,mode\n"
      "cap_1,pay_1,captured,4200,HKD,2026-11-20T09:30:00.123Z,merch_1,live\n"
      "re_1,pay_1,refunded,1000,HKD,2026-11-20T09:31:00.000Z,merch_2,live\n"
      "cap_2,pay_2,captured,5,HKD,2026-11-20T09:32:00.000Z,merch_1,test\n";
  const auto all = read_as(provider_kind::sandbox, text);
  CHECK(shown(all) ==
        texts{"2 captured 4200 HKD cap_1 2026-11-20T09:30:00Z", "3 refunded 1000 HKD re_1 2026-11-20T09:31:00Z"});
  CHECK(all.others == 1);
  CHECK(shown(read_as(provider_kind::sandbox, text, "merch_2")) ==
        texts{"3 refunded 1000 HKD re_1 2026-11-20T09:31:00Z"});
}

TEST_CASE("Stripe's exports are read by either's column names, in the currency that the customer paid") {
  const auto of_dashboard = read_as(provider_kind::stripe,
                                    "id,Type,Source,Amount,Fee,Net,Currency,Created (UTC),Description,Customer Facing "
                                    "Amount,Customer Facing Currency\n"
                                    "txn_1,charge,ch_1,42.00,1.00,41.00,hkd,2026-11-20 09:30,\"Tea, black\",,\n"
                                    "txn_2,refund,re_1,-10.5,0,-10.5,hkd,2026-11-20 09:31:07,,,\n"
                                    "txn_3,payment,py_1,3.21,0,3.21,usd,2026-11-20 09:32,,500,jpy\n"
                                    "txn_4,payout,po_1,-30.00,0,-30.00,hkd,2026-11-21 00:00,,,\n"
                                    "txn_5,payment_refund,pyr_1,-1.234000,0,-1.234,kwd,2026-11-20 09:33,,,\n");
  CHECK(shown(of_dashboard) ==
        texts{"2 captured 4200 HKD ch_1 2026-11-20T09:30:00Z", "3 refunded 1050 HKD re_1 2026-11-20T09:31:07Z",
              "4 captured 500 JPY py_1 2026-11-20T09:32:00Z", "6 refunded 1234 KWD pyr_1 2026-11-20T09:33:00Z"});
  CHECK(of_dashboard.others == 1);
  const auto of_report = read_as(provider_kind::stripe,
                                 "balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,source_"
                                 "id,charge_id,payment_intent_id,"
                                 "invoice_id\n"
                                 "txn_1,2026-11-20 09:30:00,eur,9.00,0.5,8.5,charge,ch_1,ch_1,pi_1,in_1\n"
                                 "txn_2,2026-11-20 09:30:00,eur,-9.00,0,-9.00,refund,re_1,ch_1,pi_1,in_1\n");
  CHECK(shown(of_report) == texts{"2 captured 900 EUR ch_1 2026-11-20T09:30:00Z pi_1 in_1",
                                  "3 refunded 900 EUR re_1 2026-11-20T09:30:00Z pi_1 in_1"});
}

TEST_CASE("refunds that came back and disputes are read from either of Stripe's exports") {
  const auto of_dashboard = read_as(provider_kind::stripe,
                                    "id,Type,Source,Amount,Currency,Created (UTC)\n"
                                    "txn_1,refund_failure,re_1,10.00,hkd,2026-11-20 09:30\n"
                                    "txn_2,adjustment,pyr_1,11.00,hkd,2026-11-20 09:30\n"
                                    "txn_3,adjustment,dp_1,-12.00,hkd,2026-11-20 09:30\n"
                                    "txn_4,adjustment,du_1,13.00,hkd,2026-11-20 09:30\n"
                                    "txn_5,payment_failure_refund,py_1,-14.00,hkd,2026-11-20 09:30\n"
                                    "txn_6,adjustment,acct_1,-15.00,hkd,2026-11-20 09:30\n"
                                    "txn_7,stripe_fee,,-0.50,hkd,2026-11-20 09:30\n");
  CHECK(shown(of_dashboard) == texts{"2 refund_failed 1000 HKD re_1 2026-11-20T09:30:00Z",
                                     "3 refund_failed 1100 HKD pyr_1 2026-11-20T09:30:00Z",
                                     "4 dispute_opened 1200 HKD dp_1 2026-11-20T09:30:00Z",
                                     "5 dispute_won 1300 HKD du_1 2026-11-20T09:30:00Z",
                                     "6 refunded 1400 HKD py_1 2026-11-20T09:30:00Z"});
  CHECK(of_dashboard.others == 2);
  const auto of_report = read_as(provider_kind::stripe,
                                 "created_utc,currency,gross,reporting_category,source_id,charge_id\n"
                                 "2026-11-20 09:30:00,eur,-9.00,dispute,dp_1,ch_1\n"
                                 "2026-11-20 09:30:00,eur,9.00,dispute_reversal,dp_1,ch_1\n"
                                 "2026-11-20 09:30:00,eur,2.00,refund_failure,re_1,ch_1\n"
                                 "2026-11-20 09:30:00,eur,-1.00,charge_failure,py_1,py_1\n"
                                 "2026-11-20 09:30:00,eur,-4.00,partial_capture_reversal,re_2,ch_1\n");
  CHECK(shown(of_report) ==
        texts{"2 dispute_opened 900 EUR dp_1 2026-11-20T09:30:00Z", "3 dispute_won 900 EUR dp_1 2026-11-20T09:30:00Z",
              "4 refund_failed 200 EUR re_1 2026-11-20T09:30:00Z", "5 refunded 100 EUR py_1 2026-11-20T09:30:00Z",
              "6 refunded 400 EUR re_2 2026-11-20T09:30:00Z"});
  CHECK(of_report.lines.back().reduces == "ch_1");
}

TEST_CASE("JazzCash's messages are read by the names of their fields, with times in Pakistan's time zone") {
  const auto read = read_as(provider_kind::jazzcash,
                            "pp_TxnRefNo,pp_Amount,pp_ResponseCode,pp_TxnDateTime\n"
                            "T1,150000,000,20261121023000\n"
                            "T2,150000,121,2026-11-20 09:30:00\n"
                            "T3,150000,124,20261121023000\n");
  CHECK(shown(read) ==
        texts{"2 captured 150000 PKR T1 2026-11-20T21:30:00Z", "3 captured 150000 PKR T2 2026-11-20T09:30:00Z"});
  CHECK(read.others == 1);
}

TEST_CASE("the first line of a file shows its provider, and the sandbox's lines show their mode") {
  struct row {
    std::string text, provider, modes;
    std::size_t lines;
  };
  const std::string sandbox_head = "reference,payment_id,kind,amount,currency,occurred_at,merchant_id,mode\n";
  const row table[] = {
      {sandbox_head, "sandbox", "", 0},
      {sandbox_head + "cap_1,pay_1,captured,1,HKD,,merch_1,test\n", "sandbox", "test ", 1},
      {sandbox_head + "cap_1,pay_1,captured,1,HKD,,merch_1,test\ncap_2,pay_2,captured,1,HKD,,merch_1,live\n", "sandbox",
       "test live ", 2},
      {"id,Type,Source,Amount,Currency\ntxn_1,charge,ch_1,1.00,usd\n", "stripe", "", 1},
      {"currency,gross,reporting_category,source_id\nusd,1.00,charge,ch_1\n", "stripe", "", 1},
      {"pp_TxnRefNo,pp_Amount,pp_ResponseCode\nT1,100,000\n", "jazzcash", "", 1},
  };
  for (const auto& each : table) {
    INFO(each.text);
    std::istringstream in{each.text};
    std::size_t lines = 0;
    const auto file = read_settlement(in, {}, [&](const settlement_line&) { ++lines; });
    std::string modes;
    for (const auto env : file.modes) modes += std::string{to_string(env)} + ' ';
    CHECK(to_string(file.provider) == each.provider);
    CHECK(modes == each.modes);
    CHECK(lines == each.lines);
  }
  std::istringstream foreign{"date,amount,currency\n"};
  CHECK_THROWS_WITH(read_settlement(foreign, {}, [](const settlement_line&) {}), Contains("no provider's columns"));
}

TEST_CASE("a malformed report is refused, with its line") {
  const std::string head = "Type,Source,Amount,Currency,Created (UTC)\n";
  struct row {
    provider_kind provider;
    std::string text, part;
  };
  const row table[] = {
      {provider_kind::stripe, "", "is empty"},
      {provider_kind::stripe, "Type,Source,Currency\n", "no column 'amount'"},
      {provider_kind::jazzcash, "pp_TxnRefNo,pp_Amount\n", "no column 'pp_ResponseCode'"},
      {provider_kind::stripe, head + "charge,ch_1,1.00\n", "line 2: has 3 columns, the first line 5"},
      {provider_kind::stripe, head + "charge,ch_1,1.005,usd,\n", "line 2: '1.005' is no amount of USD"},
      {provider_kind::stripe, head + "charge,ch_1,\"1,00\",usd,\n", "'1,00' is no amount"},
      {provider_kind::stripe, head + "charge,ch_1,1e3,usd,\n", "'1e3' is no amount"},
      {provider_kind::stripe, head + "charge,ch_1,--1,usd,\n", "'--1' is no amount"},
      {provider_kind::stripe, head + "charge,ch_1,.5,usd,\n", "'.5' is no amount"},
      {provider_kind::stripe, head + "charge,ch_1,99999999999999999999,usd,\n", "is no amount"},
      {provider_kind::stripe, head + "charge,ch_1,1.00,bitcoin,\n", "'bitcoin' is no currency"},
      {provider_kind::stripe, head + "charge,ch_1,1.00,usd,yesterday\n", "'yesterday' is no time"},
      {provider_kind::stripe, head + "charge,ch_1,1.00,usd,2026-02-30\n", "'2026-02-30' is no time"},
      {provider_kind::stripe, head + "charge,,1.00,usd,\n", "line 2: has no reference"},
      {provider_kind::jazzcash, "pp_TxnRefNo,pp_Amount,pp_ResponseCode\nT1,1.50,000\n", "'1.50' is no amount in minor"},
  };
  for (const auto& each : table) {
    INFO(each.text);
    CHECK_THROWS_WITH(read_as(each.provider, each.text), Contains(each.part));
  }
}
