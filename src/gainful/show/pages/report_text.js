"use strict";
// What the script of a report writes with: elements, ids as text, numbers.
// What comes from a user goes into the page as text only: nothing here makes markup of it.
const written = (() => {
  function make(tag, given = {}, ...inside) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(given)) {
      if (value === undefined || value === null || value === false) continue;
      if (name === "style") for (const [key, one] of Object.entries(value)) made.style.setProperty(key, one);
      else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...inside.filter((one) => one !== null && one !== undefined));
    return made;
  }
  // Side by side; who copies it or has it read aloud needs a blank between.
  const line = (...inside) => make("div", { class: "line" }, ...inside.filter((one) => one !== null).flatMap((one) => [one, " "]));
  // An id or a text of a user: on one line, cut by the style where it is long, whole in its title.
  const told = (text, given = {}) => make("bdi", { ...given, title: text.length > 24 ? text : null }, text);
  const number = (value, places = 4) => (value === null ? "–" : value.toFixed(places));
  const brief = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(4));
  const signed = (value, places = 4) => (value < 0 ? "-" : "+") + Math.abs(value).toFixed(places);
  const tone = (value) => (value > 0 ? "better" : value < 0 ? "worse" : "quiet");
  const plural = (n, one, more) => `${n.toLocaleString("en")} ${n === 1 ? one : more}`;

  const SVG = "http://www.w3.org/2000/svg";
  function drawn(tag, given) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, one] of Object.entries(given)) made.setAttribute(name, one);
    return made;
  }

  // Where documents stand in a ranking: the first and last rank of each place, the mean of each document.
  const rankOf = (run, at) => (run.ranks ? run.ranks[at] : [at + 1, at + 1]);
  function ranksOf(run) {
    const found = new Map();
    if (run) run.docs.forEach((doc, at) => { if (doc >= 0 && !found.has(doc)) found.set(doc, (rankOf(run, at)[0] + rankOf(run, at)[1]) / 2); });
    return found;
  }
  const WHAT = { up: "up", down: "down", same: "stays", lost: "lost", new: "new" };
  function what(before, after) {
    if (before === undefined) return "new";
    if (after === undefined) return "lost";
    return before === after ? "same" : before > after ? "up" : "down";
  }

  // A cell of CSV.
  function field(text) {
    const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text; // a spreadsheet would run it
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  }

  return { make, line, told, number, brief, signed, tone, plural, drawn, rankOf, ranksOf, WHAT, what, field };
})();
