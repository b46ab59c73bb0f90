// The pages' texts. ctemplate escapes each {{VALUE}} for the HTML context in which it stands.
#pragma once

#include <string_view>

namespace gateway::http::templates {

/// Inline in every page and named by its hash in the policy: pages load nothing.
inline constexpr std::string_view style = R"css(
:root { color-scheme: light dark; --ink: #17202e; --quiet: #566175; --line: #d9dee7; --page: #eef1f6; --card: #ffffff;
  --accent: #2350c8; --on-accent: #ffffff; --badge: #fff3d1; --badge-ink: #6b4700; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eef1f7; --quiet: #a6b0c2; --line: #38445a; --page: #10151f; --card: #1a2231; --accent: #8fb0ff;
    --on-accent: #0c1424; --badge: #40330f; --badge-ink: #ffe2a0; }
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
.description { padding-top: 0.75rem; border-top: 1px solid var(--line); color: var(--quiet); }
form { margin: 1.75rem 0 0; display: grid; gap: 0.75rem; }
button { width: 100%; min-height: 3rem; padding: 0.6rem 1rem; border: 1px solid var(--line); border-radius: 0.65rem;
  background: transparent; color: inherit; font: inherit; font-weight: 600; cursor: pointer; }
button.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
button.plain { border-color: transparent; color: var(--quiet); font-weight: 500; }
button:hover { filter: brightness(1.08); text-decoration: underline; }
button:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
section { padding: 1.1rem 0; border-top: 1px solid var(--line); scroll-margin-top: 1rem; }
section:target { border-left: 4px solid var(--accent); padding-left: 1rem; }
.facts { margin: 0; color: var(--quiet); font-size: 0.9rem; }
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
<p class="amount">{{AMOUNT}}</p>
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
<p class="facts">HTTP status {{STATUS}}{{#KEPT}}, kept under the Idempotency-Key{{/KEPT}}</p>
<p>{{ABOUT}}</p>
</section>
{{/ERROR}}</main>
</body>
</html>
)html";

}  // namespace gateway::http::templates
