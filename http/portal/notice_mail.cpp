#include "notice_mail.hpp"

#include "http/portal/browser_words.hpp"

namespace gateway::http {

void add_notice(const call& c, unit_of_work& unit, mail_kind kind, const std::string& to) {
  const auto& shared = c.here.shared;
  if (!shared.mails) return;
  const auto now = shared.clock.now();
  mail_content content{kind, to, {}};
  content.values = {{"at", std::to_string(to_unix_ms(now))},
                    {"address", std::string{c.in.remote_address}},
                    {"browser", browser_of(c.in)}};
  unit.inserts.push_back(shared.mails->seal_notice(content, now));
}

}  // namespace gateway::http
