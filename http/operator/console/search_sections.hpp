// Details of one thing for operators: facts, what belongs to it, and the actions on it. Pure: renders values that were
// read before.
#pragma once

#include <string>
#include <vector>

#include "gateway/directory/directory.hpp"
#include "gateway/ports/store/delivery_questions.hpp"
#include "gateway/ports/store/directory_questions.hpp"
#include "gateway/ports/store/entity_questions.hpp"
#include "http/html/blocks.hpp"
#include "http/operator/searches.hpp"

namespace gateway::http {

blocks::section merchant_section(const merchant& who);
blocks::section key_section(const api_key& what);
blocks::section key_section(const platform_key& what);
blocks::section platform_section(const platform& who, const std::string& csrf);
blocks::section destination_section(const webhook_endpoint& where, const std::vector<delivery_job>& newest,
                                    const std::string& csrf);
blocks::section destination_list_section(const destinations_lookup& found);
blocks::section delivery_section(const delivery_job& job, const std::string& csrf);
blocks::section grants_section(const grants_lookup& found);
/// With a form to end an operation whose outcome stays unknown.
blocks::section payment_section(const payment& what, const std::string& csrf);
blocks::section subscription_section(const subscription& what);
blocks::section customer_section(const customer& what);
blocks::section timeline_section(const std::vector<timeline_entry>& entries);
/// The matches of search_everything(), each with a link to its details.
blocks::section results_section(const std::vector<search_result>& found);
blocks::section events_section(const std::vector<event_record>& events);

}  // namespace gateway::http
