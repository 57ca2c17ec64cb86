"use strict";
// The queries (or sessions) of a report: two runs compared query by query, the table of all of them, and one at a time.
(() => {
  const { makeElement, makeSvgElement, byId, userText, fillOptions, formatNumber, withSign, tone, countNoun, capitalise, csvField, writeAddress } = Elements;
  const data = JSON.parse(byId("data").textContent);
  const { runs, base, measures, queries, values, texts, words } = data;
  const groups = data.groups || null; // systems of which each has sessions of its own
  const many = runs.length > 1;
  // The best run beside the baseline, in the measure that is shown first.
  function findBest() {
    const mean = (run) => values[run][data.shown].reduce((sum, score) => sum + (score ?? 0), 0) * (data.lower[data.shown] ? -1 : 1);
    return runs.map((_, run) => run).filter((run) => run !== base).reduce((best, run) => (best === null || mean(run) > mean(best) ? run : best), null) ?? base;
  }
  const state = { measure: data.shown, order: many ? "changed" : "far", down: true, search: "", first: 0, query: null, one: base, other: findBest(), whole: runs.length <= 3 };
  const PAGE = 25, EXTREMES = 5, PLOTS = 8;

  const nameSystem = (label, q) => (groups ? groups[data.group[q]] : label);
  const digits = (measure) => (data.whole[measure] ? 0 : 4);
  const sign = () => (data.lower[state.measure] ? -1 : 1); // of what is for the better
  const shownRuns = () => (state.whole || !many ? runs.map((_, at) => at) : [state.one, state.other]);

  // ── what is known of a query ──────────────────────────────────────────────────────────────
  const value = (run, query) => values[run][state.measure][query];
  function difference(run, query) {
    const [mine, theirs] = [value(run, query), value(state.one, query)];
    return mine === null || theirs === null ? null : mine - theirs;
  }
  const change = (query) => difference(state.other, query);
  function average(query) {
    const defined = shownRuns().map((run) => value(run, query)).filter((score) => score !== null);
    return defined.length ? defined.reduce((a, b) => a + b, 0) / defined.length : null;
  }
  // How far a session is from the mean of its system, or a query of one run from that of all.
  let centres = [];
  function findCentres() {
    const sums = (groups || [0]).map(() => [0, 0]);
    for (const q of every) if (value(0, q) !== null) { const sum = sums[groups ? data.group[q] : 0]; sum[0] += value(0, q); sum[1] += 1; }
    centres = sums.map(([sum, count]) => sum / count);
  }
  const distance = (q) => (value(0, q) === null ? null : Math.abs(value(0, q) - centres[groups ? data.group[q] : 0]));
  const collator = new Intl.Collator("en", { numeric: true });
  const every = queries.map((_, at) => at);
  const ORDERS = {
    ...(many
      ? {
          changed: ["Largest change", (q) => (change(q) === null ? null : Math.abs(change(q)))],
          rose: ["Largest increase", change],
          fell: ["Largest decrease", (q) => (change(q) === null ? null : -change(q))],
        }
      : { far: ["Farthest from the mean", distance] }),
    best: ["Best", (q) => (average(q) === null ? null : sign() * average(q))],
    worst: ["Worst", (q) => (average(q) === null ? null : -sign() * average(q))],
    given: [`Order of the ${words.judged}`, (q) => -q],
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
  const scoreQueries = (score) => every.map((q) => [q, score(q)]).filter(([, height]) => height !== null).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const formatScore = (height) => (many ? withSign(height, digits(state.measure)) : formatNumber(height, digits(state.measure)));

  // A bar for each query, sorted; what mouse or keys point at is named below, and opened by a click or Enter.
  function drawBars(scores, caption, [low, high], colour = null) {
    const tall = high - low || 1, y = (height) => (100 * (high - height)) / tall, gap = scores.length <= 150 ? 0.12 : 0;
    const way = many ? sign() : 1; // a value by itself is neither better nor worse
    const path = (isDrawn) =>
      scores.map(([, height], at) => (isDrawn(height) ? `M${at + gap} ${y(0).toFixed(3)}V${y(height).toFixed(3)}H${at + 1 - gap}V${y(0).toFixed(3)}Z` : "")).join("");
    const wide = Math.max(1, scores.length), fill = colour === null ? null : { fill: `var(--series-${colour % 7})` };
    const picture = makeSvgElement("svg", { viewBox: `0 0 ${wide} 100`, preserveAspectRatio: "none", role: "img", tabindex: 0, "aria-label": `${caption}. Arrow keys move from bar to bar, Enter opens one.` },
      makeSvgElement("path", { d: path((height) => way * height > 0), class: "bar-better", style: fill }),
      makeSvgElement("path", { d: path((height) => way * height < 0), class: "bar-worse", style: fill }),
      makeSvgElement("path", { d: `M0 ${y(0)}H${wide}`, class: "bar-zero" }));
    const pointed = makeElement("span", { class: "pointed" }, "\u00a0");
    let here = -1;
    const point = (at) => { here = Math.min(scores.length - 1, Math.max(0, at)); pointed.replaceChildren(userText(queries[scores[here][0]]), ` ${formatScore(scores[here][1])}`); };
    const findBar = (event) => { const box = picture.getBoundingClientRect(); return Math.floor((scores.length * (event.clientX - box.left)) / box.width); };
    picture.addEventListener("pointermove", (event) => point(findBar(event)));
    picture.addEventListener("pointerleave", () => pointed.replaceChildren("\u00a0"));
    picture.addEventListener("click", (event) => { point(findBar(event)); openQuery(scores[here][0], true); });
    picture.addEventListener("keydown", (event) => {
      const goal = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: scores.length - 1 }[event.key];
      if (goal !== undefined) { event.preventDefault(); pointed.setAttribute("aria-live", "polite"); point(goal); }
      if (event.key === "Enter" && here >= 0) openQuery(scores[here][0], true);
    });
    const [top, bottom] = [high, low].map((end) => (many ? withSign(end, 2) : formatNumber(end, 2)));
    return makeElement("figure", { class: "bars" }, makeElement("figcaption", {}, caption),
      makeElement("div", { class: "bars-body" }, makeElement("span", { class: "bars-scale", "aria-hidden": "true" }, makeElement("span", {}, top), makeElement("span", {}, bottom)), picture), pointed);
  }
  const findEnds = (scores) => scores.reduce(([low, high], [, height]) => [Math.min(low, height), Math.max(high, height)], [0, 0]);

  // The queries at one end, each with its change.
  function listExtremes(heading, scores) {
    if (!scores.length) return null;
    return makeElement("div", {}, makeElement("h4", {}, heading), makeElement("ol", { class: "extremes" }, ...scores.slice(0, EXTREMES).map(([q, height]) => makeElement("li", {},
      makeElement("button", { type: "button", class: "open", onclick: () => openQuery(q, true) }, userText(queries[q])), " ", makeElement("span", { class: `number ${tone(sign() * height)}` }, withSign(height, digits(state.measure))),
      texts.length && texts[q] ? userText(texts[q], { class: "text" }) : null))));
  }

  function drawValueBars() {
    const parts = groups ? groups.map((_, group) => scoreQueries((q) => (data.group[q] === group ? value(0, q) : null))) : [scoreQueries((q) => value(0, q))];
    const ends = findEnds(parts.flat()); // one scale for all
    if (ends[0] === ends[1]) return [makeElement("p", { class: "quiet" }, `No ${words.unit} has a value above 0.`)];
    const figures = parts.map((scores, group) => drawBars(scores, `${groups ? `${groups[group]}: ` : ""}${countNoun(scores.length, words.unit, words.units)}`, ends, groups && data.coloured ? group : null));
    return [makeElement("h3", {}, `${measures[state.measure]} of each ${words.unit}, sorted`), makeElement("div", { class: "plots" }, ...figures.slice(0, PLOTS)),
      figures.length > PLOTS ? makeElement("details", {}, makeElement("summary", {}, `${figures.length - PLOTS} more`), makeElement("div", { class: "plots" }, ...figures.slice(PLOTS))) : ""];
  }

  function drawPair() {
    const scores = scoreQueries(change), label = [userText(runs[state.other]), " against ", userText(runs[state.one])];
    const up = scores.filter(([, gap]) => gap > 1e-12), down = scores.filter(([, gap]) => gap < -1e-12).reverse();
    const head = makeElement("h3", {}, ...label, `, ${measures[state.measure]}`);
    if (!up.length && !down.length) return [head, makeElement("p", { class: "quiet" }, `No ${words.unit} differs.`)];
    const [wins, losses] = sign() > 0 ? [up, down] : [down, up];
    const caption = `${up.length} rose, ${down.length} fell, ${scores.length - up.length - down.length} the same`;
    return [head, drawBars(scores, caption, findEnds(scores)), makeElement("div", { class: "plots" }, listExtremes("Biggest losses", losses), listExtremes("Biggest wins", wins))];
  }

  const drawDifferences = () => byId("differences").replaceChildren(...(many ? drawPair() : drawValueBars()));

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
    const apart = run === state.one || !many ? null : difference(run, query);
    const places = digits(state.measure), colour = !data.coloured ? null : groups ? data.group[query] : run;
    return makeElement(
      "td",
      { class: "number value" },
      makeElement("span", { class: score !== null && score === best ? "best" : null }, formatNumber(score, places)),
      many ? " " : null,
      many ? makeElement("small", { class: apart === null ? "quiet" : tone(sign() * apart) }, apart === null ? "" : withSign(apart, places)) : null,
      score === null ? null : makeElement("i", { class: "meter", style: { width: `calc((100% - 1.2rem) * ${Math.max(0, Math.min(1, score / widest))})`, ...(colour === null ? {} : { background: `var(--series-${colour % 7})` }) } }),
    );
  }

  function drawTable() {
    const rows = sortQueries(), columns = shownRuns();
    const last = Math.max(0, Math.floor((rows.length - 1) / PAGE) * PAGE);
    state.first = Math.min(state.first, last);
    const pageRows = rows.slice(state.first, state.first + PAGE);
    const widest = data.bounded[state.measure] ? 1 : Math.max(1e-9, ...runs.map((_, run) => values[run][state.measure].reduce((a, b) => Math.max(a, b ?? 0), 0)));
    byId("values").style.maxWidth = `${16 + 14 * columns.length}rem`;
    byId("values").tHead.replaceChildren(makeElement("tr", {}, makeSortHeader(words.unit, "id", "query-head"), ...columns.map((run) => makeSortHeader(groups ? measures[state.measure] : runs[run], `run${run}`, "number value"))));
    byId("values").tBodies[0].replaceChildren(
      ...pageRows.map((q) => {
        const scores = columns.map((run) => value(run, q)).filter((score) => score !== null);
        const best = many && new Set(scores).size > 1 ? sign() * Math.max(...scores.map((score) => sign() * score)) : NaN;
        return makeElement(
          "tr",
          { class: q === state.query ? "chosen" : null },
          makeElement("th", { scope: "row", class: "query-cell" },
            makeElement("button", { type: "button", class: "open", onclick: () => openQuery(q, true) }, userText(queries[q])),
            texts.length && texts[q] ? userText(texts[q], { class: "text" }) : null),
          ...columns.map((run) => makeValueCell(run, q, widest, best)),
        );
      }),
    );
    byId("place").textContent = rows.length
      ? `${(state.first + 1).toLocaleString("en")}–${(state.first + pageRows.length).toLocaleString("en")} of ${countNoun(rows.length, words.unit, words.units)}`
      : `No ${words.unit} matches.`;
    byId("back").disabled = state.first === 0;
    byId("next").disabled = state.first >= last;
  }

  // ── one query, or one session ─────────────────────────────────────────────────────────────
  function drawValues(q) {
    return makeElement("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Values of this ${words.unit}` },
      makeElement("table", {},
        makeElement("thead", {}, makeElement("tr", {}, makeElement("th", { scope: "col" }, words.system), ...measures.map((name) => makeElement("th", { scope: "col", class: "number" }, name)))),
        makeElement("tbody", {}, ...shownRuns().map((run) => makeElement("tr", {}, makeElement("th", { scope: "row" }, userText(nameSystem(runs[run], q))),
          ...measures.map((_, at) => makeElement("td", { class: "number" }, formatNumber(values[run][at][q], digits(at)))))))));
  }

  function drawQuery() {
    const q = state.query;
    byId("query").replaceChildren(
      makeElement("h3", {}, `${capitalise(words.unit)} `, userText(queries[q], { class: "id" })),
      texts.length && texts[q] ? makeElement("p", { class: "long", dir: "auto" }, texts[q]) : "",
      drawValues(q),
      ...Detail.draw(q, drawQuery, shownRuns(), state.one),
    );
  }

  function openQuery(q, go) {
    state.query = q;
    drawQuery();
    drawTable();
    if (!go) return;
    writeAddress(`query=${encodeURIComponent(queries[q])}`);
    if (getComputedStyle(byId("query")).position !== "sticky") byId("query").scrollIntoView({ block: "start" }); // it stands beside the table then
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
  function redraw() { findCentres(); drawDifferences(); drawTable(); if (state.query !== null) drawQuery(); }
  fillOptions(byId("measure"), measures.map((name, at) => [at, name]));
  byId("measure").value = state.measure;
  byId("order").append(...Object.entries(ORDERS).map(([name, [label]]) => makeElement("option", { value: name, selected: name === state.order }, label)));
  for (const [id, place] of [["one", "one"], ["other", "other"]]) {
    fillOptions(byId(id), runs.map((label, at) => [at, label]));
    byId(id).value = state[place];
    byId(id).addEventListener("change", (event) => {
      const [chosen, opposite] = [Number(event.target.value), place === "one" ? "other" : "one"];
      if (state[opposite] === chosen) { state[opposite] = state[place]; byId(opposite).value = state[opposite]; } // the two change places
      state[place] = chosen;
      redraw();
    });
  }
  for (const label of document.querySelectorAll(".choose")) label.hidden = !many;
  byId("values").classList.toggle("many", many);
  byId("listing").classList.toggle("beside", !many);
  document.querySelector(".wide-only").hidden = runs.length <= 3;
  byId("all-runs").addEventListener("change", (event) => { state.whole = event.target.checked; redraw(); });
  byId("measure").addEventListener("change", (event) => { state.measure = Number(event.target.value); redraw(); });
  byId("order").addEventListener("change", (event) => { Object.assign(state, { order: event.target.value, down: true, first: 0 }); drawTable(); });
  byId("search").addEventListener("input", (event) => { Object.assign(state, { search: event.target.value, first: 0 }); drawTable(); });
  for (const form of document.querySelectorAll("form")) form.addEventListener("submit", (event) => event.preventDefault());
  byId("back").addEventListener("click", () => { state.first = Math.max(0, state.first - PAGE); drawTable(); });
  byId("next").addEventListener("click", () => { state.first += PAGE; drawTable(); });

  redraw();
  let linkedQuery = -1, asked = "";
  try {
    if (location.hash.startsWith("#query=")) asked = decodeURIComponent(location.hash.slice(7));
    linkedQuery = queries.indexOf(asked);
  } catch { /* a broken address opens no query */ }
  if (linkedQuery >= 0) openQuery(linkedQuery, true);
  else if (asked) byId("finding").after(makeElement("p", { class: "sampled", role: "status" }, `The ${words.unit} `, userText(asked, {}, 60), " in the URL is not on this page."));
  if (linkedQuery < 0 && queries.length) openQuery(sortQueries().find((q) => data.details[q]) ?? 0, false);
})();
