// The pages' texts. ctemplate escapes each {{VALUE}} for the HTML context in which it stands.
#pragma once

#include <string_view>

namespace gateway::http::templates {

/// Inline in every page and named by its hash in the policy: pages load nothing.
inline constexpr std::string_view style = R"css(
:root { color-scheme: light dark; --ink: #17202e; --quiet: #566175; --line: #d9dee7; --page: #eef1f6; --card: #ffffff;
  --accent: #2350c8; --on-accent: #ffffff; --badge: #fff3d1; --badge-ink: #6b4700;
  --edge: #78839a; --bad: #b3261e; --good: #1b6e3c; --tint: #f5f7fb; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eef1f7; --quiet: #a6b0c2; --line: #38445a; --page: #10151f; --card: #1a2231; --accent: #8fb0ff;
    --on-accent: #0c1424; --badge: #40330f; --badge-ink: #ffe2a0;
    --edge: #8390a8; --bad: #ffb4ab; --good: #8fdcab; --tint: #212b3d; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem 1rem; background: var(--page); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { width: 100%; max-width: 27rem; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 1rem;
  box-shadow: 0 1.25rem 3rem rgba(15, 25, 50, 0.12); overflow-wrap: anywhere; }
main.wide { max-width: 52rem; }
h1 { margin: 0.25rem 0 0; font-size: 1.4rem; line-height: 1.3; }
h2 { margin: 0 0 0.25rem; font-size: 1.05rem; }
p { margin: 0.75rem 0 0; }
a { color: var(--accent); }
code { font: 0.95em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.badge { display: inline-block; margin: 0 0 1.25rem; padding: 0.15rem 0.7rem; border-radius: 1rem; background: var(--badge);
  color: var(--badge-ink); font-size: 0.8rem; }
.merchant { margin: 0; color: var(--quiet); }
.amount { margin: 1.25rem 0 0; font-size: 2.3rem; font-weight: 650; line-height: 1.15; letter-spacing: -0.02em;
  font-variant-numeric: tabular-nums; }
.amount small { display: block; font-size: 1rem; font-weight: 400; letter-spacing: 0 }
.description { padding-top: 0.75rem; border-top: 1px solid var(--line); color: var(--quiet); }
form { margin: 1.75rem 0 0; display: grid; gap: 0.75rem; }
button { width: 100%; min-height: 3rem; padding: 0.6rem 1rem; border: 1px solid var(--line); border-radius: 0.65rem;
  background: transparent; color: inherit; font: inherit; font-weight: 600; cursor: pointer; }
button.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
button.plain { border-color: transparent; color: var(--quiet); font-weight: 500; }
button:hover { filter: brightness(1.08); text-decoration: underline; }
button:focus-visible, a:focus-visible, input:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
section { padding: 1.1rem 0; border-top: 1px solid var(--line); scroll-margin-top: 1rem; }
section:target { border-left: 4px solid var(--accent); padding-left: 1rem; }
.facts { margin: 0; color: var(--quiet); font-size: 0.9rem; }
.eyebrow { margin: 0; color: var(--quiet); font-size: 0.9rem; }
.field { display: grid; gap: 0.35rem; }
label { font-weight: 600; font-size: 0.95rem; }
input[type=email], input[type=password] { width: 100%; min-height: 3rem; padding: 0.5rem 0.8rem; border: 1px solid var(--edge);
  border-radius: 0.65rem; background: var(--card); color: inherit; font: inherit; }
input[readonly] { background: var(--tint); }
input[aria-invalid=true] { border-color: var(--bad); }
.hint { margin: 0; color: var(--quiet); font-size: 0.9rem; font-weight: 400; }
.fault { margin: 0; color: var(--bad); font-size: 0.92rem; font-weight: 500; }
fieldset { margin: 0; padding: 0; border: 0; display: grid; gap: 0.6rem; min-width: 0; }
legend { padding: 0; margin: 0 0 0.6rem; font-weight: 600; font-size: 0.95rem; }
.choice { display: grid; grid-template-columns: auto 1fr; gap: 0 0.75rem; align-items: start; padding: 0.75rem 0.9rem;
  border: 1px solid var(--edge); border-radius: 0.65rem; cursor: pointer; }
.choice input { width: 1.15rem; height: 1.15rem; margin: 0.2rem 0 0; accent-color: var(--accent); }
.choice:has(input:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
.choice:has(input:disabled) { border-style: dashed; color: var(--quiet); cursor: not-allowed; }
.choice .hint { grid-column: 2; }
.pair { margin: 1.25rem 0 0; padding: 0.2rem 1rem; border-radius: 0.65rem; background: var(--tint); }
.pair div { display: grid; grid-template-columns: 6.5rem 1fr; gap: 0.75rem; padding: 0.55rem 0; }
.pair div + div { border-top: 1px solid var(--line); }
.pair dt { color: var(--quiet); font-size: 0.92rem; }
.pair dd { margin: 0; font-weight: 600; }
.scopes { margin: 1.4rem 0 0; }
.scopes ul { margin: 0.5rem 0 0; padding: 0; list-style: none; display: grid; gap: 0.7rem; }
.scopes li { display: grid; grid-template-columns: 1.1rem 1fr; gap: 0 0.6rem; }
.scopes li::before { content: "+" / ""; color: var(--accent); font-weight: 700; }
.scopes.given li::before { content: "\2713" / ""; color: var(--good); }
.scopes li span { grid-column: 2; }
.scopes .what { font-weight: 600; }
.scopes.given .what { font-weight: 500; }
.leaving { margin: 0; color: var(--quiet); font-size: 0.92rem; }
footer { margin: 1.75rem 0 0; padding: 1rem 0 0; border-top: 1px solid var(--line); color: var(--quiet); font-size: 0.9rem; }
footer form { margin: 0; display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: center; justify-content: space-between; }
footer button { width: auto; min-height: 2.25rem; padding: 0.25rem 0.75rem; font-weight: 500; }
@media (max-width: 30rem) { body { padding: 0; place-items: start stretch; } main { min-height: 100vh; padding: 1.5rem 1.1rem;
  border: 0; border-radius: 0; box-shadow: none; } .pair div { grid-template-columns: 1fr; gap: 0; } }
@media (forced-colors: active) { .choice:has(input:checked) { outline: 2px solid; } }
nav ul { margin: 1rem 0 1.5rem; padding-left: 1.2rem; columns: 2 15rem; font-size: 0.92rem; }
)css";

inline constexpr std::string_view before_style = R"html({{%AUTOESCAPE context="HTML"}}<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{{TITLE}}</title>
<style>)html";

inline constexpr std::string_view after_style = R"html(</style>
</head>
<body>
)html";

inline constexpr std::string_view checkout = R"html(<main aria-labelledby="heading">
<p class="badge">Sandbox: no money moves</p>
<p class="merchant">{{MERCHANT}}</p>
<h1 id="heading">{{TITLE}}</h1>
<p class="amount">{{AMOUNT}}{{#REPEATED}} <small>{{PERIOD}}</small>{{/REPEATED}}</p>
{{#DESCRIBED}}<p class="description">{{DESCRIPTION}}</p>
{{/DESCRIBED}}<form method="post" autocomplete="off">
<input type="hidden" name="csrf" value="{{CSRF}}">
<button class="primary" type="submit" name="action" value="pay">{{PAY}}</button>
<button type="submit" name="action" value="decline">{{DECLINE}}</button>
{{#CANCELLABLE}}<button class="plain" type="submit" name="action" value="cancel">Cancel</button>
{{/CANCELLABLE}}</form>
</main>
</body>
</html>
)html";

/// Behind what every portal page says: who is signed in, and the way out.
inline constexpr std::string_view end_of_portal_page =
    R"html({{#SIGNED_IN}}<footer><form method="post" action="{{SIGN_OUT}}">
<span>Signed in as {{EMAIL}}</span>
<input type="hidden" name="csrf" value="{{SIGN_OUT_CSRF}}">
<button type="submit" name="action" value="sign-out">Sign out</button>
</form></footer>
{{/SIGNED_IN}}</main>
</body>
</html>
)html";

inline constexpr std::string_view sign_in = R"html(<main aria-labelledby="heading">
<p class="eyebrow">Merchant portal</p>
<h1 id="heading">{{TITLE}}</h1>
<form method="post">
<input type="hidden" name="csrf" value="{{CSRF}}">
<div class="field"><label for="email">E-mail address</label>
<input id="email" type="email" name="email" value="{{EMAIL_TYPED}}" autocomplete="username" required maxlength="320"{{#EMAIL_FAULTY}} aria-invalid="true" aria-describedby="email-fault"{{/EMAIL_FAULTY}}>
{{#EMAIL_FAULTY}}<p class="fault" id="email-fault" role="alert">{{EMAIL_FAULT}}</p>
{{/EMAIL_FAULTY}}</div>
<div class="field"><label for="password">Password</label>
<input id="password" type="password" name="password" autocomplete="current-password" required maxlength="1024"{{#PASSWORD_FAULTY}} aria-invalid="true" aria-describedby="password-fault"{{/PASSWORD_FAULTY}}>
{{#PASSWORD_FAULTY}}<p class="fault" id="password-fault" role="alert">{{PASSWORD_FAULT}}</p>
{{/PASSWORD_FAULTY}}</div>
<button class="primary" type="submit" name="action" value="sign-in">Sign in</button>
</form>
)html";

inline constexpr std::string_view invitation = R"html(<main aria-labelledby="heading">
<p class="eyebrow">{{MERCHANT}}</p>
<h1 id="heading">{{TITLE}}</h1>
<p>You will sign in with this address and the password that you choose here.</p>
<form method="post">
<input type="hidden" name="csrf" value="{{CSRF}}">
<div class="field"><label for="email">E-mail address</label>
<input id="email" type="email" value="{{EMAIL_TYPED}}" autocomplete="username" readonly></div>
<div class="field"><label for="password">New password</label>
<input id="password" type="password" name="password" autocomplete="new-password" required minlength="12" maxlength="1024" aria-describedby="password-hint{{#PASSWORD_FAULTY}} password-fault{{/PASSWORD_FAULTY}}"{{#PASSWORD_FAULTY}} aria-invalid="true"{{/PASSWORD_FAULTY}}>
<p class="hint" id="password-hint">At least 12 characters. Several words are easier to remember than signs.</p>
{{#PASSWORD_FAULTY}}<p class="fault" id="password-fault" role="alert">{{PASSWORD_FAULT}}</p>
{{/PASSWORD_FAULTY}}</div>
<button class="primary" type="submit" name="action" value="set-password">Set password</button>
</form>
)html";

inline constexpr std::string_view consent = R"html(<main aria-labelledby="heading">
{{#TEST}}<p class="badge">Test mode: no money moves</p>
{{/TEST}}<p class="eyebrow">Connect a platform</p>
<h1 id="heading">{{TITLE}}</h1>
<dl class="pair">
<div><dt>Platform</dt><dd>{{PLATFORM}}</dd></div>
{{#ONE_MERCHANT}}<div><dt>Merchant</dt><dd>{{MERCHANT}}</dd></div>
{{/ONE_MERCHANT}}<div><dt>Environment</dt><dd>{{ENVIRONMENT}}</dd></div>
</dl>
{{#NEW_SCOPES}}<section class="scopes" aria-labelledby="new-scopes">
<h2 id="new-scopes">{{NEW_TITLE}}</h2>
<ul>
{{#SCOPE}}<li><span class="what">{{WORDS}}</span><span class="hint">{{DETAIL}}</span></li>
{{/SCOPE}}</ul></section>
{{/NEW_SCOPES}}{{#GIVEN_SCOPES}}<section class="scopes given" aria-labelledby="given-scopes">
<h2 id="given-scopes">It may do this already</h2>
<ul>
{{#SCOPE}}<li><span class="what">{{WORDS}}</span><span class="hint">{{DETAIL}}</span></li>
{{/SCOPE}}</ul></section>
{{/GIVEN_SCOPES}}<form method="post">
<input type="hidden" name="csrf" value="{{CSRF}}">
{{#MERCHANT_ID_FIXED}}<input type="hidden" name="merchant_id" value="{{MERCHANT_ID}}">
{{/MERCHANT_ID_FIXED}}{{#CHOICES}}<fieldset{{#CHOICE_FAULTY}} aria-describedby="merchant-fault"{{/CHOICE_FAULTY}}>
<legend>For which merchant?</legend>
{{#CHOICE_FAULTY}}<p class="fault" id="merchant-fault" role="alert">{{CHOICE_FAULT}}</p>
{{/CHOICE_FAULTY}}{{#CHOICE}}<label class="choice"><input type="radio" name="merchant_id" value="{{MERCHANT_ID}}" required{{#CHECKED}} checked{{/CHECKED}}{{#DISABLED}} disabled{{/DISABLED}}>
<span>{{MERCHANT}}</span>
{{#NOTED}}<span class="hint">{{NOTE}}</span>
{{/NOTED}}</label>
{{/CHOICE}}</fieldset>
{{/CHOICES}}<p class="leaving">Afterwards your browser goes to <strong>{{DESTINATION}}</strong>. You can end this connection at any time.</p>
<button class="primary" type="submit" name="action" value="connect">Connect</button>
<button type="submit" name="action" value="cancel" formnovalidate>Cancel</button>
</form>
)html";

/// A thing said, with buttons under it.
inline constexpr std::string_view buttons = R"html(<main aria-labelledby="heading">
{{#TEST}}<p class="badge">{{BADGE}}</p>
{{/TEST}}{{#OVER}}<p class="eyebrow">{{EYEBROW}}</p>
{{/OVER}}<h1 id="heading">{{TITLE}}</h1>
<p{{#IS_STATUS}} role="status"{{/IS_STATUS}}>{{MESSAGE}}</p>
{{#FACTS}}<dl class="pair">
{{#FACT}}<div><dt>{{NAME}}</dt><dd>{{VALUE}}</dd></div>
{{/FACT}}</dl>
{{/FACTS}}{{#FORM}}<form method="post">
<input type="hidden" name="csrf" value="{{CSRF}}">
{{#PROVIDERS}}<fieldset{{#CHOICE_FAULTY}} aria-describedby="provider-fault"{{/CHOICE_FAULTY}}>
<legend>Payment provider</legend>
{{#CHOICE_FAULTY}}<p class="fault" id="provider-fault" role="alert">{{CHOICE_FAULT}}</p>
{{/CHOICE_FAULTY}}{{#CHOICE}}<label class="choice"><input type="radio" name="provider" value="{{PROVIDER}}" required{{#CHECKED}} checked{{/CHECKED}}>
<span>{{NAME}}</span>
<span class="hint">{{STATUS}}</span></label>
{{/CHOICE}}</fieldset>
{{/PROVIDERS}}{{#BUTTON}}<button{{#PRIMARY}} class="primary"{{/PRIMARY}} type="submit" name="action" value="{{ACTION}}">{{LABEL}}</button>
{{/BUTTON}}</form>
{{/FORM}})html";

inline constexpr std::string_view notice = R"html(<main aria-labelledby="heading">
<h1 id="heading">{{TITLE}}</h1>
<p role="status">{{MESSAGE}}</p>
</main>
</body>
</html>
)html";

inline constexpr std::string_view error_docs = R"html(<main class="wide" aria-labelledby="heading">
<h1 id="heading">{{TITLE}}</h1>
<p>Every refusal of the interface, what it means and what to do. Where a result is marked as kept, a retry with the same
Idempotency-Key gets the same answer again; everywhere else the same key works once the cause is gone.</p>
<nav aria-label="Codes"><ul>
{{#LINK}}<li><a href="#{{ANCHOR}}">{{TEXT}}</a></li>
{{/LINK}}</ul></nav>
{{#ERROR}}<section id="{{ANCHOR}}" aria-labelledby="{{ANCHOR}}-name">
<h2 id="{{ANCHOR}}-name"><code>{{TEXT}}</code></h2>
{{#PARAGRAPH}}<p class="facts">HTTP status {{STATUS}}{{#KEPT}}, kept under the Idempotency-Key{{/KEPT}}</p>
<p>{{ABOUT}}</p>
{{/PARAGRAPH}}</section>
{{/ERROR}}</main>
</body>
</html>
)html";

}  // namespace gateway::http::templates
