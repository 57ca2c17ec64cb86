"use strict";
// One session in full: its queries, what they showed, and what each result added.
// Everything a user wrote becomes text of the page, and nothing else.
const Session = (() => {
  const element = (name, text, classes) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (classes) made.className = classes;
    return made;
  };
  const short = (text, most = 80) => ([...text].length <= most ? text : [...text].slice(0, most - 1).join("") + "…");
  // Text of a user: shortened, whole in the title, and in the direction it has itself.
  const said = (name, text, classes, most) => {
    const made = element(name, short(text, most), classes);
    made.dir = "auto";
    if (short(text, most) !== text) made.title = text;
    return made;
  };
  const number = (value) => (Number.isNaN(value) ? "–" : value.toFixed(4));

  // A chip in the colour of the grade: light for the lowest, dark for the highest.
  function chip(data, code) {
    if (code < 0) {
      const made = element("span", "–", "chip none");
      made.title = "not judged";
      return made;
    }
    const made = element("span", data.grades.told[code], "chip"), last = data.grades.told.length - 1;
    const step = last ? Math.floor((code * 5) / last) : 5;
    made.style.background = `var(--grade-${step})`;
    made.style.color = step >= 4 ? "var(--paper)" : "var(--ink)";
    return made;
  }

  const COLUMNS = [["rank", "rank number"], ["document", ""], ["grade", "grade"], ["clicked", "clicked"], ["gain", "part number"], ["× rank", "part number"], ["× query", "part number"], ["adds", "added number"]];

  function table(data, query, clicks) {
    const made = element("table"), head = element("tr"), body = element("tbody");
    const columns = COLUMNS.filter(([name]) => clicks || name !== "clicked");
    for (const [name, classes] of columns) {
      const cell = element("th", name, classes);
      cell.scope = "col";
      head.append(cell);
    }
    for (const row of query.rows) {
      const line = element("tr", undefined, row.added === 0 ? "nothing" : "something");
      const cells = {
        rank: element("td", row.rank, "rank number"),
        document: said("td", data.results.docs[data.results.doc[row.result]], "", 60),
        grade: element("td", undefined, "grade"),
        clicked: element("td", data.results.clicked?.[row.result] ? "✓" : "", "clicked"),
        gain: element("td", row.code < 0 ? "" : row.again ? "0, again" : String(+row.gain.toPrecision(6)), "part number"),
        "× rank": element("td", row.gain ? number(row.left) : "", "part number"),
        "× query": element("td", row.gain ? number(query.left) : "", "part number"),
        adds: element("td", row.added === 0 ? "" : number(row.added), "added number"),
      };
      if (row.again) cells.gain.title = "the session has shown it before";
      if (cells.clicked.textContent) cells.clicked.setAttribute("aria-label", "clicked");
      cells.grade.append(chip(data, row.code));
      line.append(...columns.map(([name]) => cells[name]));
      body.append(line);
    }
    const top = element("thead");
    top.append(head);
    made.append(top, body);
    const around = element("div", undefined, "scroll");
    around.append(made);
    return around;
  }

  // The session, its queries one under another.
  function shown(place, data, facts, worked, value, total) {
    const parts = [];
    const line = element("p");
    line.append(said("strong", facts.name));
    for (const fact of facts.told) line.append(" · ", said("span", fact, "", 40));
    line.append(` · gain ${number(total)}`, value === null ? "" : ` · share of the ideal ${number(value)}`);
    parts.push(line);
    for (const query of worked) {
      const text = data.queries.texts[data.queries.text[query.query]];
      const head = element("h3"), words = element("span", `Q${query.number} `);
      words.append(text === null ? element("span", "(no text)", "quiet") : said("span", text, "", 100));
      head.append(words, element("span", `adds ${number(query.added)}`, "sum"));
      parts.push(head);
      const listed = data.queries.listed[query.query];
      parts.push(query.rows.length ? table(data, query, Boolean(data.results.clicked)) : element("p", "It returned nothing.", "quiet"));
      if (listed > query.rows.length) parts.push(element("p", `${listed - query.rows.length} further down ${listed - query.rows.length === 1 ? "does" : "do"} not count.`, "quiet"));
    }
    place.replaceChildren(...parts);
  }

  return { element, said, short, number, chip, shown };
})();
