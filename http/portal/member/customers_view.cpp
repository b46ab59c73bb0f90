#include "customers_view.hpp"

#include <utility>

#include "gateway/domain/url.hpp"

namespace gateway::http {

using namespace blocks;

namespace {

table customer_table(const customers_view& view) {
  table rows{"Customers", {{"Customer"}, {"Saved methods", true}, {"Platform"}, {"Provider"}, {"Created"}}, {}, true};
  for (const auto& row : view.rows)
    rows.rows.push_back({{member_link(view.frame, row.reference, "customers/" + percent_encoded(row.id))},
                         {row.methods},
                         {row.platform},
                         {row.provider},
                         {row.created_at}});
  return rows;
}

empty_state no_customers(const member_frame& frame) {
  if (frame.env == environment::test)
    return {"Customers are live only", "Platforms keep customers in live mode; there are none in test mode.", {}};
  return {"No customers yet", "They appear here as soon as a platform takes a payment that saves its method.",
          member_link(frame, "Platforms", "platforms")};
}

table method_table(const customer_view& view) {
  table rows{"Saved payment methods", {{"Payment method"}, {"Provider"}, {"Its name for the customer"}}, {}};
  for (const auto& name : view.names)
    for (const auto& method : name.methods) rows.rows.push_back({{code{method}}, {name.provider}, {code{name.id}}});
  return rows;
}

}  // namespace

response customer_list_page(const customers_view& view) {
  member_page page;
  page.title = "Customers";
  section found{"customers", {}, {}};
  if (view.rows.empty())
    found.blocks.push_back(no_customers(view.frame));
  else
    found.blocks.push_back(customer_table(view));
  auto ways = further_pager(member_url(view.frame, "customers"), view.further, view.at_first);
  if (!ways.links.empty()) found.blocks.push_back(std::move(ways));
  page.sections.push_back(std::move(found));
  return member_response(view.frame, page);
}

response customer_page(const customer_view& view) {
  member_page page;
  page.title = view.of.reference;
  page.up = member_link(view.frame, "Customers", "customers");
  facts listed;
  listed.rows.push_back({"The platform's reference", {code{view.of.reference}}});
  add_fact(listed, "Platform", view.of.platform);
  for (const auto& name : view.names) listed.rows.push_back({"At " + name.provider, {code{name.id}}});
  add_fact(listed, "Created", view.of.created_at);
  page.sections.push_back({"facts", "The customer", {std::move(listed)}});
  section methods{"methods", "Saved payment methods", {}};
  auto rows = method_table(view);
  if (rows.rows.empty())
    methods.blocks.push_back(
        empty_state{"No method is saved", "A method is saved once a payment with it is approved.", {}});
  else
    methods.blocks.push_back(std::move(rows));
  page.sections.push_back(std::move(methods));
  page.sections.push_back({"payments",
                           "Payments",
                           {pager{"Further",
                                  {{"Search for the customer's payments",
                                    with_query(member_url(view.frame, "payments"), {{"q", view.of.reference}})}}}}});
  return member_response(view.frame, page);
}

}  // namespace gateway::http
