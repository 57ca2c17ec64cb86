"use strict";
// One session of a report: what each of its queries brought, system beside system.
const Detail = (() => {
  const { makeElement, userText, formatNumber, countNoun } = Elements;
  const data = JSON.parse(document.getElementById("data").textContent);
  const { runs, measures, values, words } = data;
  const name = measures[data.shown];

  function makeCell(run, at, widest, colour) {
    if (!run || at >= run.gains.length) return makeElement("td", { class: "placed" });
    const text = run.texts && run.texts[at];
    return makeElement("td", { class: "placed" },
      makeElement("div", { class: "line" }, text ? userText(text, { class: "doc", dir: "auto" }) : null, makeElement("span", { class: "brings" }, formatNumber(run.gains[at], 3))),
      makeElement("i", { class: "meter", style: { width: `${(100 * Math.abs(run.gains[at])) / widest}%`, ...(data.coloured ? { background: `var(--series-${colour % 7})` } : {}) } }));
  }

  function makeSum(run, value) {
    if (!run) return makeElement("td", { class: "number" }, "–");
    const divided = data.normalised && value > 0 ? makeElement("small", {}, `÷ ${formatNumber(run.sum / value)} = ${formatNumber(value)}`) : null;
    return makeElement("td", { class: "number" }, formatNumber(run.sum), divided);
  }

  // Everything about a session.
  function draw(q, _, shown) {
    const detail = data.details[q] && { runs: shown.map((run) => data.details[q].runs[run]) };
    if (!detail) {
      const isAsked = Object.keys(data.details).length > 0;
      return isAsked ? [makeElement("p", { class: "sampled" }, `This page does not include the gain of each query for this ${words.unit}.`)] : [];
    }
    const length = Math.max(...detail.runs.map((run) => (run ? run.gains.length : 0)));
    const widest = Math.max(1e-9, ...detail.runs.flatMap((run) => (run ? run.gains.map(Math.abs) : [])));
    const rows = Array.from({ length }, (_, at) => makeElement("tr", {},
      makeElement("th", { scope: "row", class: "number rank" }, String(at + 1)),
      ...detail.runs.map((run, n) => makeCell(run, at, widest, data.groups ? data.group[q] : shown[n]))));
    const label = (at) => (data.groups ? data.groups[data.group[q]] : runs[shown[at]]);
    const head = makeElement("tr", {}, makeElement("th", { scope: "col", class: "number" }, "query"),
      ...detail.runs.map((run, at) => makeElement("th", { scope: "col" }, userText(label(at)), run ? null : " (missing)")));
    const sums = makeElement("tr", { class: "sum" }, makeElement("th", { scope: "row", class: "number" }, "Σ"),
      ...detail.runs.map((run, at) => makeSum(run, values[shown[at]][data.shown][q])));
    const more = detail.runs.reduce((most, run) => Math.max(most, run ? run.more : 0), 0);
    return [
      makeElement("h4", {}, `Query by query: discounted gain in ${name}`),
      makeElement("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Gain of each query" },
        makeElement("table", { class: "side" }, makeElement("thead", {}, head), makeElement("tbody", {}, ...rows), makeElement("tfoot", {}, sums))),
      more ? makeElement("p", { class: "quiet" }, `${countNoun(more, "query", "queries")} more, included in the sum.`) : "",
    ];
  }

  return { draw };
})();
