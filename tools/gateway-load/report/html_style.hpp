// The style sheet of the HTML report. Runs are told apart by colour (a palette that colour-blind people can tell apart,
// in two schemes) and by dash.
#pragma once

#include <string_view>

namespace gateway::load {

inline constexpr std::string_view html_style = R"css(
:root {
  color-scheme: light;
  --page: #f5f6f8; --card: #fff; --ink: #1b212a; --soft: #5c6675; --grid: #e7eaef; --edge: #dde1e8; --hover: #1b212a0f;
  --good: #0a7350; --good-back: #e3f4ec; --bad: #b3261e; --bad-back: #fdeae8; --note-back: #fff6e0; --note: #7a5400;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #a8488f; --c4: #c08a00; --c5: #4b5563;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    color-scheme: dark;
    --page: #0e1217; --card: #161b22; --ink: #e7eaef; --soft: #9ba6b5; --grid: #252c36; --edge: #2b333e; --hover: #ffffff14;
    --good: #4cc99a; --good-back: #10301f; --bad: #ff8a80; --bad-back: #3a1715; --note-back: #33290f; --note: #f0c862;
    --c0: #56b4e9; --c1: #f28b3c; --c2: #2fc596; --c3: #dd93c9; --c4: #f0c542; --c5: #b8c1cd;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  font-variant-numeric: tabular-nums;
}
main { max-width: 1200px; margin: 0 auto; padding: 32px 24px 48px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { font-size: 18px; margin: 36px 0 12px; }
h3 { font-size: 14px; margin: 0 0 4px; overflow-wrap: anywhere; }
p { margin: 0; }
code { font: 13px ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.eyebrow, .hint { color: var(--soft); font-size: 13px; }
.eyebrow { margin-bottom: 4px; }
.hint { margin: -8px 0 12px; }
.versus { color: var(--soft); font-weight: 400; }
.badges { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 12px; }
.badge { padding: 3px 12px; border-radius: 99px; border: 1px solid var(--edge); background: var(--card); color: var(--soft); }
.badge { font-size: 13px; }
.badge.good { color: var(--good); background: var(--good-back); border-color: transparent; font-weight: 600; }
.badge.bad { color: var(--bad); background: var(--bad-back); border-color: transparent; font-weight: 600; }
.card { background: var(--card); border: 1px solid var(--edge); border-radius: 10px; padding: 16px 18px; }
.note { background: var(--note-back); color: var(--note); border-radius: 10px; padding: 10px 16px; margin-top: 16px; font-size: 14px; }
.facts { display: grid; grid-template-columns: 1fr 1fr 1fr; gap: 12px 24px; margin: 20px 0 0; }
.facts dt { color: var(--soft); font-size: 12.5px; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.tiles { display: grid; grid-template-columns: repeat(6, 1fr); gap: 12px; margin-top: 16px; }
.tile { padding: 12px 16px; }
.tile b { display: block; font-size: 22px; line-height: 1.3; font-weight: 650; white-space: nowrap; }
.tile span { color: var(--soft); font-size: 12.5px; }
.tile.bad b { color: var(--bad); }
.scroll { overflow-x: auto; padding: 6px 0; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { padding: 7px 14px; text-align: right; white-space: nowrap; vertical-align: top; border-top: 1px solid var(--grid); }
thead th, thead + tbody.first tr:first-child > * { border-top: 0; }
th { font-weight: 600; }
thead th { color: var(--soft); font-weight: 500; font-size: 12.5px; vertical-align: bottom; }
thead th.run { color: var(--ink); font-size: 14px; font-weight: 600; }
th.l, td.l { text-align: left; }
td.wide, thead th.run { white-space: normal; overflow-wrap: break-word; min-width: 130px; }
tbody.group tr:first-child > * { border-top: 2px solid var(--edge); }
tr.all > * { font-weight: 600; }
td.empty { color: var(--soft); }
td.differs { font-weight: 600; }
.beside-each-other { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 16px; }
.beside-each-other > .card { flex: 1 1 auto; max-width: 100%; }
td.who { white-space: normal; min-width: 170px; }
td.beside { text-align: left; padding-left: 0; }
td.beside .ratio { line-height: 21px; }
.compare .run, .compare .wide { max-width: 300px; }
.compare th.l:first-child { color: var(--soft); font-weight: 500; }
.ratio { display: block; font-size: 12.5px; font-weight: 400; color: var(--soft); }
.ratio.good { color: var(--good); }
.ratio.bad { color: var(--bad); }
.share { color: var(--soft); display: inline-block; min-width: 5em; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 18px; margin: 0 0 6px; padding: 0; list-style: none; }
.legend { font-size: 13px; color: var(--soft); }
.legend li { display: flex; align-items: center; gap: 7px; overflow-wrap: anywhere; }
.grid { display: grid; grid-template-columns: 1fr 1fr; gap: 16px; }
.grid > .card, figure { min-width: 0; }
.grid + .card { margin-top: 16px; }
.grid > .lonely { grid-column: 1 / -1; }
figure { margin: 0; }
figcaption { font-weight: 600; font-size: 14px; margin-bottom: 4px; }
figcaption span { color: var(--soft); font-weight: 400; }
svg.chart { display: block; width: 100%; height: auto; overflow: visible; }
svg.narrow { display: none; }
svg.sample { width: 34px; height: 10px; flex: none; vertical-align: middle; }
svg.bar { width: 110px; height: 8px; vertical-align: middle; }
.track { fill: var(--grid); }
.chart text { fill: var(--soft); font-size: 12px; }
.chart .tx { text-anchor: middle; dominant-baseline: hanging; }
.chart .ty { text-anchor: end; dominant-baseline: central; }
.chart .tm { text-anchor: end; fill: var(--ink); font-weight: 600; paint-order: stroke; stroke: var(--card); stroke-width: 4px; }
.chart .after { text-anchor: start; }
.g { stroke: var(--grid); stroke-width: 1; }
.fine { opacity: .55; }
.base { stroke: var(--soft); stroke-width: 1; opacity: .6; }
.line { fill: none; stroke: var(--run); stroke-width: 2; stroke-linejoin: round; }
.area { fill: var(--run); opacity: .12; }
.dot { fill: var(--run); }
.mark { fill: var(--card); stroke: var(--run); stroke-width: 2; }
.mark.end { fill: var(--run); }
.fill { fill: var(--run); }
.hover { fill: transparent; }
.hover:hover { fill: var(--hover); }
.c0 { --run: var(--c0); } .c1 { --run: var(--c1); } .c2 { --run: var(--c2); }
.c3 { --run: var(--c3); } .c4 { --run: var(--c4); } .c5 { --run: var(--c5); }
.failing { --run: var(--bad); }
.d1 { stroke-dasharray: 9 4; } .d2 { stroke-dasharray: 2.5 3; } .d3 { stroke-dasharray: 11 3 2 3; }
.d4 { stroke-dasharray: 16 5; } .d5 { stroke-dasharray: 5 2; }
.intended { --run: var(--soft); stroke-dasharray: 3 4; stroke-width: 1.5; }
.wanted { stroke-width: 1; stroke-dasharray: 1 4; opacity: .8; }
.p90 { stroke-dasharray: 7 3; stroke-width: 1.6; } .p50 { stroke-dasharray: 2 3; }
.most { stroke-width: 1; opacity: .4; }
.area.c0, .area.failing { stroke-dasharray: none; }
.violations { margin: 10px 0 0; padding: 0; list-style: none; }
.violations li { border-left: 3px solid var(--bad); padding: 2px 0 2px 12px; margin: 8px 0; overflow-wrap: anywhere; }
.violations p { color: var(--soft); font-size: 13px; }
.outcome { margin-bottom: 12px; }
.verdict { font-weight: 600; }
.verdict.good { color: var(--good); }
.verdict.bad { color: var(--bad); }
footer { color: var(--soft); font-size: 12.5px; margin-top: 36px; }
@media (max-width: 900px) {
  .grid { grid-template-columns: 1fr; }
  .tiles { grid-template-columns: repeat(3, 1fr); }
}
@media (max-width: 620px) {
  main { padding: 20px 12px 32px; }
  h1 { font-size: 23px; }
  .card { padding: 12px; border-radius: 8px; }
  .tiles { grid-template-columns: 1fr 1fr; gap: 8px; }
  .facts { grid-template-columns: 1fr; gap: 8px; }
  .scroll { padding: 2px 0; }
  th, td { padding: 6px 9px; }
  svg.broad { display: none; }
  svg.narrow { display: block; }
  .chart text { font-size: 17px; }
  .line { stroke-width: 2.6; }
}
)css";

}  // namespace gateway::load
