"use strict";
// One session in full: its queries, what they showed, and what each result added.
// Everything a user wrote becomes text of the page, and nothing else.
const Session = (() => {
  const { makeElement, userText, formatNumber } = Elements;

  // A chip in the colour of the grade: light for the lowest, dark for the highest.
  function makeChip(data, code) {
    if (code < 0) return makeElement("span", { class: "chip unjudged", title: "not judged" }, "–");
    const last = data.grades.labels.length - 1;
    return makeElement("span", { class: `chip g${last ? Math.floor((code * 5) / last) : 5}` }, data.grades.labels[code]);
  }

  const COLUMNS = { rank: "rank number", document: "", grade: "grade", clicked: "clicked", gain: "part number", "× rank": "part number", "× query": "part number", adds: "added number" };

  function buildRow(data, query, row, columns) {
    const cells = {
      rank: [row.rank],
      document: [userText(data.results.docs[data.results.doc[row.result]], {}, 60)],
      grade: [makeChip(data, row.code)],
      clicked: [data.results.clicked?.[row.result] ? "✓" : ""],
      gain: [row.code < 0 ? "" : row.isRepeat ? "0, again" : String(+row.gain.toPrecision(6))],
      "× rank": [row.gain ? formatNumber(row.factor) : ""],
      "× query": [row.gain ? formatNumber(query.factor) : ""],
      adds: [row.added === 0 ? "" : formatNumber(row.added)],
    };
    const titles = { gain: row.isRepeat ? "shown earlier in this session" : null };
    return makeElement("tr", { class: row.added === 0 ? "nothing" : "something" },
      ...columns.map(([name, classes]) => makeElement("td", { class: classes, title: titles[name] }, ...cells[name])));
  }

  function buildTable(data, query) {
    const columns = Object.entries(COLUMNS).filter(([name]) => (name !== "clicked" || data.results.clicked) && (name !== "grade" || !data.grades.observed));
    return makeElement("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Results of query ${query.number}` }, makeElement("table", {},
      makeElement("thead", {}, makeElement("tr", {}, ...columns.map(([name, classes]) => makeElement("th", { scope: "col", class: classes }, name)))),
      makeElement("tbody", {}, ...query.rows.map((row) => buildRow(data, query, row, columns)))));
  }

  function buildQuery(data, query) {
    const text = data.queries.texts[data.queries.text[query.query]], below = data.queries.listed[query.query] - query.rows.length;
    return [
      makeElement("h3", {}, makeElement("span", {}, `Q${query.number} `, text === null ? makeElement("span", { class: "quiet" }, "(no text)") : userText(text, {}, 100)), makeElement("span", { class: "sum" }, `adds ${formatNumber(query.added)}`)),
      query.rows.length ? buildTable(data, query) : makeElement("p", { class: "quiet" }, "The query returned nothing."),
      below > 0 ? makeElement("p", { class: "quiet" }, `${below} more ${below === 1 ? "result" : "results"} below the cutoff ${below === 1 ? "does" : "do"} not count.`) : "",
    ];
  }

  // The session, its queries one under another.
  function showSession(place, data, facts, steps, value, total) {
    const line = makeElement("p", {}, makeElement("strong", {}, userText(facts.name, {}, 80)), ...facts.columns.flatMap((fact) => [" · ", userText(fact, {}, 40)]),
      ` · gain ${formatNumber(total)}`, value === null ? "" : ` · share of the ideal ${formatNumber(value)}`);
    place.replaceChildren(line, ...steps.flatMap((query) => buildQuery(data, query)));
  }

  return { makeChip, showSession };
})();
