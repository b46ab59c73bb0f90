#include "commands.hpp"

namespace gateway::ctl {

void add_mail_commands(const command_group& program) {
  const auto mail = program.group("mail", "Mails to people: invitations, links, notices");

  const auto list = mail.call("list", "Show mails, newest first", "/operator/mail/list");
  list.optional_text("--status", "status", "pending, sent or failed").one_of("pending,sent,failed").type_name("STATUS");
  list.optional_text("--after", "after", "The next page: `next` of the page before").type_name("NEXT");
  list.number("--limit", "limit", "At most so many [50]", 50).within(1, 100).type_name("N");

  const auto retry =
      mail.call("retry", "Send a mail now that failed, or that waits for its next attempt", "/operator/mail/retry");
  retry.text("mail_id", "mail_id", "As the list shows it: mail_…").type_name("ID");
}

}  // namespace gateway::ctl
