"use strict";
// What the scripts of all pages write with: elements, text of users, numbers.
// What comes from a user goes into the page as text only: nothing here makes markup of it.
const Elements = (() => {
  function fill(node, attributes, inside) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === undefined || value === null || value === false) continue;
      if (name === "style") for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
      else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...inside.filter((part) => part !== null && part !== undefined));
    return node;
  }
  const makeElement = (tag, attributes = {}, ...inside) => fill(document.createElement(tag), attributes, inside);
  const makeSvgElement = (tag, attributes = {}, ...inside) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, inside);
  const byId = (id) => document.getElementById(id);
  // Side by side; who copies it or has it read aloud needs a blank between.
  const makeLine = (...inside) => makeElement("div", { class: "line" }, ...inside.filter((part) => part !== null).flatMap((part) => [part, " "]));
  const shorten = (text, most = 80) => ([...text].length <= most ? text : [...text].slice(0, most - 1).join("") + "…");
  // A name inside a sentence: what is written from right to left keeps its place.
  const isolate = (name) => (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(name) ? `\u2068${name}\u2069` : name);
  // An id or a text of a user, in the direction it has itself: whole in its title where it is cut.
  const userText = (text, attributes = {}, most = Infinity) => makeElement("bdi", { dir: "auto", title: text.length > Math.min(most, 24) ? text : null, ...attributes }, shorten(text, most));
  const fillOptions = (select, pairs) => select.replaceChildren(...pairs.map(([value, text]) => makeElement("option", { value, dir: "auto", title: text.length > 70 ? text : null }, shorten(text, 70))));

  const isKnown = (value) => value !== null && !Number.isNaN(value);
  const formatNumber = (value, places = 4) => (isKnown(value) ? value.toFixed(places) : "–");
  const formatBriefly = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(4));
  const withSign = (value, places = 4) => (value < 0 ? "-" : "+") + Math.abs(value).toFixed(places);
  const tone = (value) => (value > 0 ? "better" : value < 0 ? "worse" : "quiet");
  const countNoun = (n, singular, plural) => `${n.toLocaleString("en")} ${n === 1 ? singular : plural}`;
  const capitalise = (text) => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());

  // The colour and dash by which charts draw a group.
  const makeLineKey = (colour, dash) => makeSvgElement("svg", { width: 28, height: 10, class: "key", "aria-hidden": "true" },
    makeSvgElement("line", { x1: 0, x2: 28, y1: 5, y2: 5, "stroke-width": 3, stroke: `var(--series-${colour % 7})`, "stroke-dasharray": dash.join(" ") }));

  // Some browsers keep a page on disk from saying where it is.
  function writeAddress(text) {
    try { history.replaceState(null, "", text ? `#${text}` : location.href.split("#")[0]); } catch { /* then it stays as it was */ }
  }

  // A cell of CSV.
  function csvField(text) {
    const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text; // a spreadsheet would run it
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  }

  return { makeElement, makeSvgElement, byId, makeLine, shorten, isolate, userText, fillOptions, formatNumber, formatBriefly, withSign, tone, countNoun, capitalise, makeLineKey, csvField, isKnown, writeAddress };
})();
