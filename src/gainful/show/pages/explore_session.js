"use strict";
// One session in full: its queries, what they showed, and what each result added.
// Everything a user wrote becomes text of the page, and nothing else.
const Session = (() => {
  const makeElement = (name, text, classes) => {
    const node = document.createElement(name);
    if (text !== undefined) node.textContent = text;
    if (classes) node.className = classes;
    return node;
  };
  const shorten = (text, most = 80) => ([...text].length <= most ? text : [...text].slice(0, most - 1).join("") + "…");
  // Text of a user: shortened, whole in the title, and in the direction it has itself.
  const userText = (name, text, classes, most) => {
    const node = makeElement(name, shorten(text, most), classes);
    node.dir = "auto";
    if (shorten(text, most) !== text) node.title = text;
    return node;
  };
  const formatNumber = (value) => (Number.isNaN(value) ? "–" : value.toFixed(4));

  // A chip in the colour of the grade: light for the lowest, dark for the highest.
  function makeChip(data, code) {
    if (code < 0) {
      const node = makeElement("span", "–", "chip none");
      node.title = "not judged";
      return node;
    }
    const node = makeElement("span", data.grades.labels[code], "chip"), last = data.grades.labels.length - 1;
    const step = last ? Math.floor((code * 5) / last) : 5;
    node.style.background = `var(--grade-${step})`;
    node.style.color = step >= 4 ? "var(--paper)" : "var(--ink)";
    return node;
  }

  const COLUMNS = [["rank", "rank number"], ["document", ""], ["grade", "grade"], ["clicked", "clicked"], ["gain", "part number"], ["× rank", "part number"], ["× query", "part number"], ["adds", "added number"]];

  function buildTable(data, query, clicks) {
    const node = makeElement("table"), head = makeElement("tr"), body = makeElement("tbody");
    const columns = COLUMNS.filter(([name]) => clicks || name !== "clicked");
    for (const [name, classes] of columns) {
      const cell = makeElement("th", name, classes);
      cell.scope = "col";
      head.append(cell);
    }
    for (const row of query.rows) {
      const line = makeElement("tr", undefined, row.added === 0 ? "nothing" : "something");
      const cells = {
        rank: makeElement("td", row.rank, "rank number"),
        document: userText("td", data.results.docs[data.results.doc[row.result]], "", 60),
        grade: makeElement("td", undefined, "grade"),
        clicked: makeElement("td", data.results.clicked?.[row.result] ? "✓" : "", "clicked"),
        gain: makeElement("td", row.code < 0 ? "" : row.isRepeat ? "0, again" : String(+row.gain.toPrecision(6)), "part number"),
        "× rank": makeElement("td", row.gain ? formatNumber(row.factor) : "", "part number"),
        "× query": makeElement("td", row.gain ? formatNumber(query.factor) : "", "part number"),
        adds: makeElement("td", row.added === 0 ? "" : formatNumber(row.added), "added number"),
      };
      if (row.isRepeat) cells.gain.title = "the session has shown it before";
      if (cells.clicked.textContent) cells.clicked.setAttribute("aria-label", "clicked");
      cells.grade.append(makeChip(data, row.code));
      line.append(...columns.map(([name]) => cells[name]));
      body.append(line);
    }
    const top = makeElement("thead");
    top.append(head);
    node.append(top, body);
    const around = makeElement("div", undefined, "scroll");
    around.append(node);
    return around;
  }

  // The session, its queries one under another.
  function showSession(place, data, facts, steps, value, total) {
    const parts = [];
    const line = makeElement("p");
    line.append(userText("strong", facts.name));
    for (const fact of facts.columns) line.append(" · ", userText("span", fact, "", 40));
    line.append(` · gain ${formatNumber(total)}`, value === null ? "" : ` · share of the ideal ${formatNumber(value)}`);
    parts.push(line);
    for (const query of steps) {
      const text = data.queries.texts[data.queries.text[query.query]];
      const head = makeElement("h3"), words = makeElement("span", `Q${query.number} `);
      words.append(text === null ? makeElement("span", "(no text)", "quiet") : userText("span", text, "", 100));
      head.append(words, makeElement("span", `adds ${formatNumber(query.added)}`, "sum"));
      parts.push(head);
      const resultCount = data.queries.listed[query.query];
      parts.push(query.rows.length ? buildTable(data, query, Boolean(data.results.clicked)) : makeElement("p", "It returned nothing.", "quiet"));
      if (resultCount > query.rows.length) parts.push(makeElement("p", `${resultCount - query.rows.length} further down ${resultCount - query.rows.length === 1 ? "does" : "do"} not count.`, "quiet"));
    }
    place.replaceChildren(...parts);
  }

  return { makeElement, userText, shorten, formatNumber, makeChip, showSession };
})();
