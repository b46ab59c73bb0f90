#include "mail_composer.hpp"

#include <utility>

#include "mime_message.hpp"

namespace gateway::http {
namespace {

class composer_of_pages final : public mail_composer {
 public:
  composer_of_pages(std::string from, mail_addresses known) : from_{std::move(from)}, known_{std::move(known)} {}

  outgoing_mail compose(const mail_content& what, std::string_view id, time_point now) const override {
    const auto said = text_of_mail(what, known_);
    const auto text = mail_as_text(said), html = mail_as_html(said);
    return {std::string{address_of_mailbox(from_)}, what.to,
            mime_message({from_, what.to, id, now, said.subject, text, html})};
  }

 private:
  const std::string from_;
  const mail_addresses known_;
};

}  // namespace

std::unique_ptr<mail_composer> make_mail_composer(std::string from, mail_addresses known) {
  return std::make_unique<composer_of_pages>(std::move(from), std::move(known));
}

}  // namespace gateway::http
