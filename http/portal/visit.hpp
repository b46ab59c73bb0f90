// The person who requests a page, and the merchant that the page belongs to.
#pragma once

#include <memory>
#include <string>

#include "gateway/ports/store/people_questions.hpp"
#include "http/html/forms.hpp"

namespace gateway::http {

/// A person with a valid session.
struct signed_in {
  std::string cookie;
  stored_session who;

  const session_membership* member_of(const merchant_id& merchant) const noexcept;
  bool owns(const merchant_id& merchant) const noexcept;
};

/// A merchant's member on one of its pages, `{portal_url}/{merchant_id}/{test|live}/…`.
struct member_visit {
  signed_in person;
  std::shared_ptr<const merchant> who;
  environment env = environment::test;
  member_role role = member_role::viewer;
  std::string page;  ///< the visited page's path and query, which satisfy is_local_target()
  form sent;  ///< a verified post from this page by an owner

  bool may_act() const noexcept { return role == member_role::owner; }
};

}  // namespace gateway::http
