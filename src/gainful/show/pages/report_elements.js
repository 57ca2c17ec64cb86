"use strict";
// What the script of a report writes with: elements, ids as text, numbers.
// What comes from a user goes into the page as text only: nothing here makes markup of it.
const Elements = (() => {
  function makeElement(tag, attributes = {}, ...inside) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === undefined || value === null || value === false) continue;
      if (name === "style") for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
      else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...inside.filter((part) => part !== null && part !== undefined));
    return node;
  }
  // Side by side; who copies it or has it read aloud needs a blank between.
  const makeLine = (...inside) => makeElement("div", { class: "line" }, ...inside.filter((part) => part !== null).flatMap((part) => [part, " "]));
  // An id or a text of a user: on one line, cut by the style where it is long, whole in its title.
  const userText = (text, attributes = {}) => makeElement("bdi", { ...attributes, title: text.length > 24 ? text : null }, text);
  const formatNumber = (value, places = 4) => (value === null ? "–" : value.toFixed(places));
  const formatBriefly = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(4));
  const withSign = (value, places = 4) => (value < 0 ? "-" : "+") + Math.abs(value).toFixed(places);
  const tone = (value) => (value > 0 ? "better" : value < 0 ? "worse" : "quiet");
  const countNoun = (n, singular, plural) => `${n.toLocaleString("en")} ${n === 1 ? singular : plural}`;

  const capitalise = (word) => word[0].toUpperCase() + word.slice(1);

  const SVG = "http://www.w3.org/2000/svg";
  function makeSvgElement(tag, attributes) {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    return node;
  }

  // Where documents stand in a ranking: the first and last rank of each place, the mean of each document.
  const rankRange = (run, at) => (run.ranks ? run.ranks[at] : [at + 1, at + 1]);
  function meanRanks(run) {
    const ranks = new Map();
    if (run) run.docs.forEach((doc, at) => { if (doc >= 0 && !ranks.has(doc)) ranks.set(doc, (rankRange(run, at)[0] + rankRange(run, at)[1]) / 2); });
    return ranks;
  }
  const MOVE_WORDS = { up: "up", down: "down", same: "stays", lost: "lost", new: "new" };
  function moveKind(before, after) {
    if (before === undefined) return "new";
    if (after === undefined) return "lost";
    return before === after ? "same" : before > after ? "up" : "down";
  }

  // A cell of CSV.
  function csvField(text) {
    const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text; // a spreadsheet would run it
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  }

  return { makeElement, makeLine, userText, formatNumber, formatBriefly, withSign, tone, countNoun, capitalise, makeSvgElement, rankRange, meanRanks, MOVE_WORDS, moveKind, csvField };
})();
