"use strict";
// The queries (or sessions) of a report: their differences, the table of all of them, and one at a time.
(() => {
  const { makeElement, userText, formatNumber, withSign, tone, countNoun, capitalise, makeSvgElement, csvField } = Elements;
  const data = JSON.parse(document.getElementById("data").textContent);
  const { runs, base, measures, queries, values, texts, words } = data;
  const groups = data.groups || null; // systems of which each has sessions of its own
  const many = runs.length > 1;
  const others = runs.map((_, at) => at).filter((at) => at !== base);
  const byId = (id) => document.getElementById(id);
  const state = { measure: data.shown, order: many ? "changed" : "given", down: true, search: "", first: 0, query: null };
  const PAGE = 25;

  const nameSystem = (label, q) => (groups ? groups[data.group[q]] : label);
  const digits = (measure) => (data.whole[measure] ? 0 : 4);
  const sign = () => (data.lower[state.measure] ? -1 : 1); // of what is for the better

  // ── what is known of a query ──────────────────────────────────────────────────────────────
  const value = (run, query) => values[run][state.measure][query];
  function difference(run, query) {
    const [mine, theirs] = [value(run, query), value(base, query)];
    return mine === null || theirs === null ? null : mine - theirs;
  }
  function change(query) {
    let most = null;
    for (const run of others) {
      const gap = difference(run, query);
      if (gap !== null && (most === null || Math.abs(gap) > Math.abs(most))) most = gap;
    }
    return most;
  }
  function average(query) {
    const defined = runs.map((_, run) => value(run, query)).filter((score) => score !== null);
    return defined.length ? defined.reduce((a, b) => a + b, 0) / defined.length : null;
  }
  const collator = new Intl.Collator("en", { numeric: true });
  const every = queries.map((_, at) => at);
  const ORDERS = {
    ...(many
      ? {
          changed: ["Most changed", (q) => (change(q) === null ? null : Math.abs(change(q)))],
          rose: ["Rose most", change],
          fell: ["Fell most", (q) => (change(q) === null ? null : -change(q))],
        }
      : {}),
    best: ["Best", (q) => (average(q) === null ? null : sign() * average(q))],
    worst: ["Worst", (q) => (average(q) === null ? null : -sign() * average(q))],
    given: [`As in the ${words.judged}`, (q) => -q],
  };

  function sortQueries() {
    const term = state.search.trim().toLowerCase();
    const matching = term
      ? every.filter((q) => queries[q].toLowerCase().includes(term) || (texts.length && texts[q] || "").toLowerCase().includes(term))
      : every.slice();
    if (state.order === "id") {
      matching.sort((a, b) => collator.compare(queries[a], queries[b]));
      return state.down ? matching : matching.reverse();
    }
    const run = /^run(\d+)$/.exec(state.order);
    const key = run ? (q) => value(Number(run[1]), q) : ORDERS[state.order][1];
    const keys = new Map(matching.map((q) => [q, key(q)]));
    const way = state.down ? 1 : -1;
    return matching.sort((a, b) => {
      const [x, y] = [keys.get(a), keys.get(b)];
      if (x === null || y === null) return (x === null) - (y === null) || a - b;
      return way * (y - x) || a - b;
    });
  }

  // ── the differences, drawn ────────────────────────────────────────────────────────────────
  function valueRange(functions) {
    let [low, high] = [0, 0];
    for (const score of functions) for (const q of every) [low, high] = [Math.min(low, score(q) ?? 0), Math.max(high, score(q) ?? 0)];
    return [low, high];
  }

  function drawBars(score, caption, [low, high]) {
    const queryScores = every.map((q) => [q, score(q)]).filter(([, height]) => height !== null).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const ends = queryScores.map(([, height]) => height);
    const tall = high - low || 1;
    const y = (height) => (100 * (high - height)) / tall;
    const way = many ? sign() : 1; // a value by itself is neither better nor worse
    const gap = queryScores.length <= 150 ? 0.12 : 0;
    const path = (isDrawn) =>
      queryScores.map(([, height], at) => (isDrawn(height) ? `M${at + gap} ${y(0).toFixed(3)}V${y(height).toFixed(3)}H${at + 1 - gap}V${y(0).toFixed(3)}Z` : "")).join("");
    const picture = makeSvgElement("svg", { viewBox: `0 0 ${Math.max(1, queryScores.length)} 100`, preserveAspectRatio: "none", role: "img", "aria-label": caption });
    picture.append(
      makeSvgElement("path", { d: path((height) => way * height > 0), class: "bar-better" }),
      makeSvgElement("path", { d: path((height) => way * height < 0), class: "bar-worse" }),
      makeSvgElement("path", { d: `M0 ${y(0)}H${Math.max(1, queryScores.length)}`, class: "bar-zero" }),
    );
    if (!ends.some((height) => Math.abs(height) > 1e-12)) return makeElement("figure", { class: "bars" }, makeElement("figcaption", {}, caption), makeElement("p", { class: "quiet" }, many ? `No ${words.unit} differs.` : `No ${words.unit} has a value above 0.`));
    const pointed = makeElement("span", { class: "pointed", "aria-hidden": "true" }, "\u00a0");
    const findBar = (event) => {
      const box = picture.getBoundingClientRect();
      return queryScores[Math.min(queryScores.length - 1, Math.max(0, Math.floor((queryScores.length * (event.clientX - box.left)) / box.width)))];
    };
    if (queryScores.length) {
      picture.addEventListener("mousemove", (event) => {
        const [q, height] = findBar(event);
        pointed.replaceChildren(userText(queries[q]), ` ${many ? withSign(height, digits(state.measure)) : formatNumber(height, digits(state.measure))}`);
      });
      picture.addEventListener("mouseleave", () => pointed.replaceChildren("\u00a0"));
      picture.addEventListener("click", (event) => openQuery(findBar(event)[0], true));
    }
    const [top, bottom] = [high, low].map((end) => (many ? withSign(end, 2) : formatNumber(end, 2)));
    return makeElement(
      "figure",
      { class: "bars" },
      makeElement("figcaption", {}, caption),
      makeElement("div", { class: "bars-body" }, makeElement("span", { class: "bars-scale", "aria-hidden": "true" }, makeElement("span", {}, top), makeElement("span", {}, bottom)), picture),
      pointed,
    );
  }

  function drawDifferences() {
    const place = byId("differences");
    const name = measures[state.measure];
    if (groups) {
      const ends = valueRange([(q) => value(0, q)]); // one scale for all
      const figures = groups.map((label, group) => {
        const size = every.filter((q) => data.group[q] === group).length;
        return drawBars((q) => (data.group[q] === group ? value(0, q) : null), `${label}: ${countNoun(size, words.unit, words.units)}`, ends);
      });
      place.replaceChildren(makeElement("h3", {}, `${name} of each ${words.unit}, sorted`), makeElement("div", { class: "plots" }, ...figures));
      return;
    }
    if (!many) {
      place.replaceChildren(makeElement("h3", {}, `${name} of each ${words.unit}, sorted`), drawBars((q) => value(0, q), countNoun(queries.length, words.unit, words.units), valueRange([(q) => value(0, q)])));
      return;
    }
    const ends = valueRange(others.map((run) => (q) => difference(run, q))); // one scale for all
    const figures = others.map((run) => {
      const all = every.map((q) => difference(run, q)).filter((gap) => gap !== null);
      const [up, down] = [all.filter((gap) => gap > 1e-12).length, all.filter((gap) => gap < -1e-12).length];
      const caption = `${runs[run]} against ${runs[base]}: ${up} rose, ${down} fell, ${all.length - up - down} the same`;
      return drawBars((q) => difference(run, q), caption, ends);
    });
    place.replaceChildren(
      makeElement("h3", {}, `Differences in ${name}, ${words.unit} by ${words.unit}`),
      makeElement("div", { class: "plots" }, ...figures),
      makeElement("p", { class: "quiet no-print" }, `Each bar is a ${words.unit}; click one to see it below.`),
    );
  }

  // ── the table ─────────────────────────────────────────────────────────────────────────────
  function makeSortHeader(label, order, klass) {
    const chosen = state.order === order;
    const button = makeElement(
      "button",
      { type: "button", class: "sort", onclick: () => {
        state.down = chosen ? !state.down : true;
        byId("order").value = state.order = order; // empty where only a column can say it
        state.first = 0;
        drawTable();
        byId("values").querySelector(`[data-order="${order}"] button`).focus();
      } },
      userText(label), chosen ? makeElement("span", { "aria-hidden": "true" }, state.down ? " ▾" : " ▴") : null,
    );
    const rising = order === "id" ? state.down : !state.down;
    return makeElement("th", { scope: "col", class: klass, "data-order": order, "aria-sort": chosen ? (rising ? "ascending" : "descending") : null }, button);
  }

  function makeValueCell(run, query, widest, best) {
    const score = value(run, query);
    const apart = run === base || !many ? null : difference(run, query);
    const places = digits(state.measure);
    return makeElement(
      "td",
      { class: "number value" },
      makeElement("span", { class: score !== null && score === best ? "best" : null }, formatNumber(score, places)),
      many ? " " : null,
      many ? makeElement("small", { class: apart === null ? "quiet" : tone(sign() * apart) }, apart === null ? "" : withSign(apart, places)) : null,
      score === null ? null : makeElement("i", { class: "meter", style: { width: `calc((100% - 1.2rem) * ${Math.max(0, Math.min(1, score / widest))})` } }),
    );
  }

  function drawTable() {
    const rows = sortQueries();
    const last = Math.max(0, Math.floor((rows.length - 1) / PAGE) * PAGE);
    state.first = Math.min(state.first, last);
    const pageRows = rows.slice(state.first, state.first + PAGE);
    const widest = data.bounded[state.measure] ? 1 : Math.max(1e-9, ...runs.map((_, run) => values[run][state.measure].reduce((a, b) => Math.max(a, b ?? 0), 0)));
    byId("values").tHead.replaceChildren(
      makeElement("tr", {}, makeSortHeader(words.unit, "id", "query-head"), ...runs.map((label, run) => makeSortHeader(groups ? measures[state.measure] : label, `run${run}`, "number")), others.length > 1 ? makeSortHeader("change", "changed", "number") : null),
    );
    byId("values").tBodies[0].replaceChildren(
      ...pageRows.map((q) => {
        const scores = runs.map((_, run) => value(run, q)).filter((score) => score !== null);
        const best = many && new Set(scores).size > 1 ? sign() * Math.max(...scores.map((score) => sign() * score)) : NaN;
        const most = many ? change(q) : null;
        return makeElement(
          "tr",
          { class: q === state.query ? "chosen" : null },
          makeElement("th", { scope: "row", class: "query-cell" },
            makeElement("button", { type: "button", class: "open", onclick: () => openQuery(q, true) }, userText(queries[q], { dir: "auto" })),
            texts.length && texts[q] ? userText(texts[q], { class: "text", dir: "auto" }) : null),
          ...runs.map((_, run) => makeValueCell(run, q, widest, best)),
          others.length > 1 ? makeElement("td", { class: `number ${tone(sign() * most)}` }, most === null ? "–" : withSign(most, digits(state.measure))) : null,
        );
      }),
    );
    byId("place").textContent = rows.length
      ? `${(state.first + 1).toLocaleString("en")}–${(state.first + pageRows.length).toLocaleString("en")} of ${countNoun(rows.length, words.unit, words.units)}`
      : `No ${words.unit} has that in it.`;
    byId("back").disabled = state.first === 0;
    byId("next").disabled = state.first >= last;
  }

  // ── one query, or one session ─────────────────────────────────────────────────────────────
  function drawValues(q) {
    return makeElement("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Values of this ${words.unit}` },
      makeElement("table", {},
        makeElement("thead", {}, makeElement("tr", {}, makeElement("th", { scope: "col" }, words.system), ...measures.map((name) => makeElement("th", { scope: "col", class: "number" }, name)))),
        makeElement("tbody", {}, ...runs.map((label, run) => makeElement("tr", {}, makeElement("th", { scope: "row" }, userText(nameSystem(label, q))),
          ...measures.map((_, at) => makeElement("td", { class: "number" }, formatNumber(values[run][at][q], digits(at)))))))));
  }

  function drawQuery() {
    const q = state.query;
    const article = byId("query");
    article.replaceChildren(
      makeElement("h3", {}, `${capitalise(words.unit)} `, userText(queries[q], { class: "id", dir: "auto" })),
      texts.length && texts[q] ? makeElement("p", { class: "long", dir: "auto" }, texts[q]) : "",
      drawValues(q),
      ...Detail.draw(q, drawQuery),
    );
  }

  function openQuery(q, go) {
    state.query = q;
    drawQuery();
    drawTable();
    if (!go) return;
    try {
      history.replaceState(null, "", `#query=${encodeURIComponent(queries[q])}`);
    } catch { /* some browsers keep a page on disk from saying where it is */ }
    byId("query").scrollIntoView({ block: "start" });
    byId("query").focus({ preventScroll: true });
  }

  // ── values to take away ───────────────────────────────────────────────────────────────────
  function toCsv() {
    const lines = [[words.system, words.unit, ...measures].map(csvField).join(",")];
    runs.forEach((label, run) => queries.forEach((id, q) => {
      lines.push([csvField(nameSystem(label, q)), csvField(id), ...measures.map((_, at) => values[run][at][q] ?? "")].join(","));
    }));
    return `${lines.join("\n")}\n`;
  }
  byId("download").addEventListener("click", () => {
    const address = URL.createObjectURL(new Blob([toCsv()], { type: "text/csv" }));
    makeElement("a", { href: address, download: "values.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  });

  // ── the controls ──────────────────────────────────────────────────────────────────────────
  byId("measure").append(...measures.map((name, at) => makeElement("option", { value: at, selected: at === state.measure }, name)));
  byId("order").append(...Object.entries(ORDERS).map(([name, [label]]) => makeElement("option", { value: name, selected: name === state.order }, label)));
  byId("measure").addEventListener("change", (event) => { state.measure = Number(event.target.value); drawDifferences(); drawTable(); });
  byId("order").addEventListener("change", (event) => { Object.assign(state, { order: event.target.value, down: true, first: 0 }); drawTable(); });
  byId("search").addEventListener("input", (event) => { Object.assign(state, { search: event.target.value, first: 0 }); drawTable(); });
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  byId("back").addEventListener("click", () => { state.first = Math.max(0, state.first - PAGE); drawTable(); });
  byId("next").addEventListener("click", () => { state.first += PAGE; drawTable(); });

  byId("values").style.maxWidth = `${16 + 14 * runs.length}rem`;
  drawDifferences();
  let linkedQuery = -1;
  try {
    if (location.hash.startsWith("#query=")) linkedQuery = queries.indexOf(decodeURIComponent(location.hash.slice(7)));
  } catch { /* a broken address opens no query */ }
  if (linkedQuery >= 0) openQuery(linkedQuery, true);
  else if (data.first !== null) openQuery(data.first, false);
  else drawTable();
})();
