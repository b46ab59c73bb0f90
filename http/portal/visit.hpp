// Who looks at a page, and of which merchant.
#pragma once

#include <memory>
#include <string>

#include "gateway/store.hpp"
#include "http/pages/forms.hpp"

namespace gateway::http {

/// Somebody with a session that is good now.
struct signed_in {
  std::string cookie;
  stored_session who;

  const session_membership* member_of(const merchant_id& merchant) const noexcept;
  bool owns(const merchant_id& merchant) const noexcept;
};

/// One of a merchant's people at one of its pages, `{portal_url}/{merchant_id}/{test|live}/…`.
struct member_visit {
  signed_in person;
  std::shared_ptr<const merchant> who;
  environment env = environment::test;
  member_role role = member_role::viewer;
  std::string page;  ///< its path, as is_local_target() has it
  form sent;  ///< of a post, which has proven that it comes from this page, and from an owner

  bool may_act() const noexcept { return role == member_role::owner; }
};

}  // namespace gateway::http
