// Tabs for samples of the same thing in several languages, and a button that copies a block of code. Without this script
// the pages show all samples, one below the other.
"use strict";

const remembered = "documentation-language";

function read(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // the browser keeps nothing for this site
  }
}

function store(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Chosen for this page only.
  }
}

function element(name, properties, attributes = {}) {
  const made = Object.assign(document.createElement(name), properties);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

const groups = [];

/** Shows the samples of this language in each group that has it. */
function choose(language) {
  for (const tabs of groups) {
    if (!tabs.some((tab) => tab.textContent === language)) continue;
    for (const tab of tabs) {
      const chosen = tab.textContent === language;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = !chosen;
    }
  }
}

/** The tab that a key selects, or undefined. */
function tabFor(key, tabs, from) {
  const at = tabs.indexOf(from);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[key];
  return to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length];
}

function addTabs(group, number) {
  const samples = [...group.querySelectorAll(":scope > .sample")];
  if (samples.length < 2) return;
  const list = element("div", { className: "languages" }, { role: "tablist", "aria-label": "Language" });
  const tabs = samples.map((sample, index) => {
    const id = `sample-${number}-${index}`;
    const tab = element(
      "button",
      { type: "button", id: `${id}-tab`, textContent: sample.dataset.tab },
      { role: "tab", "aria-controls": id },
    );
    sample.id = id;
    sample.setAttribute("role", "tabpanel");
    sample.setAttribute("aria-labelledby", tab.id);
    const title = sample.querySelector(".what");
    title.hidden = title.textContent === tab.textContent;
    list.append(tab);
    return tab;
  });
  const pick = (tab) => {
    const before = tab.getBoundingClientRect().top;
    choose(tab.textContent);
    scrollBy(0, tab.getBoundingClientRect().top - before); // other groups above may have grown or shrunk
    store(remembered, tab.textContent);
  };
  list.addEventListener("click", (event) => {
    if (tabs.includes(event.target)) pick(event.target);
  });
  list.addEventListener("keydown", (event) => {
    const tab = tabFor(event.key, tabs, event.target);
    if (!tab) return;
    event.preventDefault();
    tab.focus();
    pick(tab);
  });
  group.prepend(list);
  groups.push(tabs);
  choose(samples[0].dataset.tab);
}

/** The text to copy: of a console only the commands, without prompts and output. */
function copied(block) {
  const text = block.textContent.trimEnd();
  if (!block.querySelector(".language-console")) return text;
  const prompt = "$ ";
  const commands = text.split("\n").filter((line) => line.startsWith(prompt));
  return commands.map((line) => line.slice(prompt.length)).join("\n");
}

function addCopyButton(block, said) {
  const button = element("button", { type: "button", className: "copy", textContent: "Copy" }, { "aria-label": "Copy this code" });
  const frame = element("div", { className: "code" });
  block.replaceWith(frame);
  frame.append(block, button);
  button.addEventListener("click", async () => {
    const show = (text) => {
      button.textContent = text;
      said.textContent = text;
    };
    try {
      await navigator.clipboard.writeText(copied(block));
      show("Copied");
    } catch {
      show("Not copied");
    }
    setTimeout(() => {
      button.textContent = "Copy";
      said.textContent = "";
    }, 2000);
  });
}

// The list of pages may be longer than the window: this page's entry is shown.
const here = document.querySelector(".places [aria-current]");
if (here) {
  const list = here.closest("ul");
  list.scrollTop = here.offsetTop - list.clientHeight / 2;
}

document.querySelectorAll(".samples").forEach(addTabs);
const language = read(remembered);
if (language) choose(language);

// A page over plain HTTP has no clipboard.
if (navigator.clipboard) {
  const said = element("p", { className: "unseen" }, { role: "status" });
  document.body.append(said);
  for (const block of document.querySelectorAll(".prose pre")) addCopyButton(block, said);
}
