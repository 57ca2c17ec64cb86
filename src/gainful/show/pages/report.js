"use strict";
// The queries of a report: their differences, the table of all of them, and one at a time.
(() => {
  const { makeElement, makeLine, userText, formatNumber, formatBriefly, withSign, tone, countNoun, makeSvgElement, rankRange, meanRanks, MOVE_WORDS, moveKind, csvField } = Elements;
  const data = JSON.parse(document.getElementById("data").textContent);
  const { runs, base, measures, queries, values, texts } = data;
  const many = runs.length > 1;
  const others = runs.map((_, at) => at).filter((at) => at !== base);
  const byId = (id) => document.getElementById(id);
  const state = { measure: data.shown, order: many ? "changed" : "given", down: true, search: "", first: 0, query: null, whole: false };
  const PAGE = 25;

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
    given: ["As in the judgments", (q) => -q],
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
    const gap = queryScores.length <= 150 ? 0.12 : 0;
    const path = (isDrawn) =>
      queryScores.map(([, height], at) => (isDrawn(height) ? `M${at + gap} ${y(0).toFixed(3)}V${y(height).toFixed(3)}H${at + 1 - gap}V${y(0).toFixed(3)}Z` : "")).join("");
    const picture = makeSvgElement("svg", { viewBox: `0 0 ${Math.max(1, queryScores.length)} 100`, preserveAspectRatio: "none", role: "img", "aria-label": caption });
    picture.append(
      makeSvgElement("path", { d: path((height) => sign() * height > 0), class: "bar-better" }),
      makeSvgElement("path", { d: path((height) => sign() * height < 0), class: "bar-worse" }),
      makeSvgElement("path", { d: `M0 ${y(0)}H${Math.max(1, queryScores.length)}`, class: "bar-zero" }),
    );
    if (!ends.some((height) => Math.abs(height) > 1e-12)) return makeElement("figure", { class: "bars" }, makeElement("figcaption", {}, caption), makeElement("p", { class: "quiet" }, many ? "No query differs." : "No query has a value above 0."));
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
    if (!many) {
      place.replaceChildren(makeElement("h3", {}, `${name} of each query, sorted`), drawBars((q) => value(0, q), countNoun(queries.length, "query", "queries"), valueRange([(q) => value(0, q)])));
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
      makeElement("h3", {}, `Differences in ${name}, query by query`),
      makeElement("div", { class: "plots" }, ...figures),
      makeElement("p", { class: "quiet no-print" }, "Each bar is a query; click one to see its rankings."),
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
      makeElement("tr", {}, makeSortHeader("query", "id", "query-head"), ...runs.map((label, run) => makeSortHeader(label, `run${run}`, "number")), others.length > 1 ? makeSortHeader("change", "changed", "number") : null),
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
      ? `${(state.first + 1).toLocaleString("en")}–${(state.first + pageRows.length).toLocaleString("en")} of ${countNoun(rows.length, "query", "queries")}`
      : "No query has that in it.";
    byId("back").disabled = state.first === 0;
    byId("next").disabled = state.first >= last;
  }

  // ── one query ─────────────────────────────────────────────────────────────────────────────
  const colours = new Map(data.grades.map(([grade, at]) => [grade, at]));
  function makeChip(grade) {
    const label = grade === null || grade === undefined ? "unjudged" : `grade ${formatBriefly(grade)}`;
    const klass = grade === null || grade === undefined ? "chip unjudged" : `chip g${colours.get(grade)}`;
    return makeElement("span", { class: klass, title: label }, makeElement("span", { class: "visually-hidden" }, `${label} `), makeElement("span", { "aria-hidden": "true" }, grade === null || grade === undefined ? "–" : formatBriefly(grade)));
  }
  function makeMoveMark(before, after, grade) {
    const tell = grade > 0; // where a document that is worth nothing goes is neither good nor bad
    if (before === undefined) return makeElement("span", { class: `move ${tell ? "better" : "quiet"}`, title: `not in ${runs[base]}` }, "new");
    if (before === after) return makeElement("span", { class: "move quiet", title: "the same rank" }, "=");
    const up = before > after;
    return makeElement("span", { class: `move ${tell ? (up ? "better" : "worse") : "quiet"}`, title: `rank ${before} in ${runs[base]}` }, `${up ? "↑" : "↓"}${Math.abs(before - after)}`);
  }

  function makeDocumentCell(detail, run, at, before, widest) {
    const ranking = detail.runs[run];
    const doc = ranking.docs[at];
    const brings = ranking.brings ? ranking.brings[at] || 0 : null;
    const [rank, until] = rankRange(ranking, at);
    const gain = detail.gains && doc >= 0 ? detail.gains[doc] : 0;
    const factor = ranking.discounts ? ranking.discounts[at] : data.weights[at];
    const work = brings ? `gain ${formatBriefly(gain)} × discount ${formatNumber(factor)} = ${formatNumber(brings)}` : null;
    return makeElement(
      "td",
      { class: "placed", "data-doc": doc, title: work },
      makeLine(
        makeChip(doc < 0 ? null : detail.grades[doc]),
        doc < 0 ? makeElement("i", { class: "quiet" }, "filled up") : userText(detail.docs[doc], { class: "doc", dir: "auto" }),
        until > rank ? makeElement("small", { class: "quiet" }, `tied to ${until}`) : null,
        run === base || doc < 0 || !detail.runs[base] ? null : makeMoveMark(before.get(doc), (rank + until) / 2, detail.grades[doc]),
        brings ? makeElement("span", { class: "brings" }, formatNumber(brings, 3)) : null),
      brings ? makeElement("i", { class: "meter", style: { width: `${(100 * Math.abs(brings)) / widest}%` } }) : null,
    );
  }

  function makeIdealCell(detail, ideal, at, widest) {
    if (at >= ideal.docs.length) return makeElement("td", { class: "placed ideal" });
    const doc = ideal.docs[at];
    return makeElement(
      "td",
      { class: "placed ideal", "data-doc": doc, title: `gain ${formatBriefly(ideal.gains[at])} × discount ${formatNumber(data.weights[at])} = ${formatNumber(ideal.brings[at])}` },
      makeLine(
        doc < 0 ? makeElement("span", { class: "quiet" }, `gain ${formatBriefly(ideal.gains[at])}`) : makeChip(detail.grades[doc]),
        doc < 0 ? null : userText(detail.docs[doc], { class: "doc", dir: "auto" }),
        makeElement("span", { class: "brings" }, formatNumber(ideal.brings[at], 3))),
      makeElement("i", { class: "meter", style: { width: `${(100 * Math.abs(ideal.brings[at])) / widest}%` } }),
    );
  }

  const quotient = (run, score) => (run && data.normalised && score !== null && run.idcg > 0 ? makeElement("small", {}, `÷ ${formatNumber(run.idcg)} = ${formatNumber(score)}`) : null);

  function drawSideBySide(detail) {
    const rankings = detail.runs;
    const fullDepth = Math.max(1, ...rankings.map((run) => (run ? run.docs.length : 0)), ...detail.ideals.map((ideal) => ideal.docs.length));
    const usualDepth = Math.min(fullDepth, Math.max(10, Math.min(data.depth || 10, 20)));
    const shownDepth = state.whole ? fullDepth : usualDepth;
    const widest = Math.max(1e-9, ...rankings.flatMap((run) => (run && run.brings ? run.brings.map(Math.abs) : [])), ...detail.ideals.flatMap((ideal) => ideal.brings.map(Math.abs)));
    const before = meanRanks(rankings[base]);
    const wide = 1 + runs.length + detail.ideals.length;
    const rows = [];
    for (let at = 0; at < shownDepth; at += 1) {
      if (data.depth && at === data.depth) rows.push(makeElement("tr", { class: "cut" }, makeElement("td", { colspan: wide }, `${measures[data.shown]} looks no further`)));
      rows.push(
        makeElement("tr", { class: data.depth && at >= data.depth ? "below" : null },
          makeElement("th", { scope: "row", class: "number rank" }, String(at + 1)),
          ...runs.map((_, run) => (rankings[run] && at < rankings[run].docs.length ? makeDocumentCell(detail, run, at, before, widest) : makeElement("td", { class: "placed" }))),
          ...detail.ideals.map((ideal) => makeIdealCell(detail, ideal, at, widest))),
      );
    }
    const sums = data.cumulated
      ? makeElement("tr", { class: "sum" }, makeElement("th", { scope: "row", class: "number" }, "Σ"),
          ...rankings.map((run, at) => makeElement("td", { class: "number" }, run && run.dcg !== undefined ? formatNumber(run.dcg) : "–", quotient(run, values[at][data.shown][state.query]))),
          ...detail.ideals.map((ideal) => makeElement("td", { class: "number" }, formatNumber(rankings[ideal.of[0]].idcg))))
      : null;
    const head = makeElement("tr", {}, makeElement("th", { scope: "col", class: "number" }, "rank"),
      ...runs.map((label, run) => makeElement("th", { scope: "col" }, userText(label), rankings[run] ? null : " (not there)")),
      ...detail.ideals.map((ideal) => makeElement("th", { scope: "col" }, detail.ideals.length > 1 ? `ideal of ${ideal.of.map((run) => runs[run]).join(", ")}` : "ideal")));
    const table = makeElement("table", { class: "side" }, makeElement("thead", {}, head), makeElement("tbody", {}, ...rows), sums ? makeElement("tfoot", {}, sums) : null);
    const highlight = (event) => {
      const cell = event.target.closest("[data-doc]");
      const doc = event.type === "mouseover" && cell ? cell.dataset.doc : null;
      for (const td of table.querySelectorAll("[data-doc]")) td.classList.toggle("lit", doc !== null && doc !== "-1" && td.dataset.doc === doc);
    };
    table.addEventListener("mouseover", highlight);
    table.addEventListener("mouseleave", highlight);
    const more = fullDepth > usualDepth
      ? makeElement("button", { type: "button", class: "no-print", onclick: () => { state.whole = !state.whole; drawQuery(); } }, state.whole ? `Only ${usualDepth} ranks` : `All ${fullDepth} ranks`)
      : null;
    const rest = rankings.reduce((a, run) => a + (run ? run.more : 0), 0);
    return [
      makeElement("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Rankings side by side" }, table),
      makeElement("p", { class: "quiet" }, more, rest ? ` ${countNoun(rest, "document", "documents")} further down not in this page.` : null),
    ];
  }

  function drawMoves(detail, run) {
    if (!detail.runs[run] || !detail.runs[base]) return null;
    const [before, after] = [meanRanks(detail.runs[base]), meanRanks(detail.runs[run])];
    const changes = detail.moved && detail.moved[run];
    const contribution = (ranking, doc) => ranking.docs.reduce((sum, other, at) => (other === doc ? sum + (ranking.brings[at] || 0) : sum), 0);
    // A sum over documents is explained by its terms, as long as both have the same ideal.
    const ideal = !data.normalised ? 1 : detail.runs[run].idcg === detail.runs[base].idcg ? detail.runs[base].idcg : 0;
    const unit = ideal > 0 ? ideal : 1;
    let rows;
    if (changes) rows = changes.docs.map((doc, at) => [doc, changes.shares[at]]);
    else {
      const docs = new Set([...before.keys(), ...after.keys()]);
      rows = [...docs].filter((doc) => detail.grades[doc] !== null).map((doc) => [doc, data.cumulated ? (contribution(detail.runs[run], doc) - contribution(detail.runs[base], doc)) / unit : null]);
      rows = data.cumulated
        ? rows.filter(([, share]) => Math.abs(share) > 1e-9).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]))
        : rows.filter(([doc]) => before.get(doc) !== after.get(doc) && detail.grades[doc] > 0);
    }
    const [mine, theirs] = [values[run][data.shown], values[base][data.shown]].map((column) => column[state.query]);
    const head = makeElement("h4", {}, "From ", userText(runs[base]), " to ", userText(runs[run]), mine === null || theirs === null ? "" : `, ${data.measures[data.shown]}: ${formatNumber(theirs)} → ${formatNumber(mine)} (${withSign(mine - theirs)})`);
    if (!rows.length) return makeElement("div", {}, head, makeElement("p", { class: "quiet" }, "No judged document moved where it counts."));
    const firstRows = rows.slice(0, 10);
    const rank = (ranks, doc) => (ranks.has(doc) ? String(ranks.get(doc)) : "–");
    const label = changes || ideal > 0 ? "explains" : "gain × discount";
    const table = makeElement("table", {},
      makeElement("thead", {}, makeElement("tr", {}, makeElement("th", { scope: "col" }, "document"), makeElement("th", { scope: "col", class: "number" }, "rank"), makeElement("th", { scope: "col" }, ""), rows[0][1] === null ? null : makeElement("th", { scope: "col", class: "number" }, label))),
      makeElement("tbody", {}, ...firstRows.map(([doc, share]) => makeElement("tr", {},
        makeElement("td", {}, makeLine( makeChip(detail.grades[doc]), userText(detail.docs[doc], { class: "doc", dir: "auto" }))),
        makeElement("td", { class: "number" }, `${rank(before, doc)} → ${rank(after, doc)}`),
        makeElement("td", {}, MOVE_WORDS[moveKind(before.get(doc), after.get(doc))]),
        share === null ? null : makeElement("td", { class: `number ${tone(share)}` }, withSign(share))))));
    const more = rows.length > 10 ? makeElement("p", { class: "quiet" }, `… and ${countNoun(rows.length - 10, "more document", "more documents")}`) : null;
    const rest = changes && Math.abs(changes.rest) > 5e-5 ? makeElement("p", { class: "quiet" }, `without any document above: ${withSign(changes.rest)}`) : null;
    return makeElement("div", {}, head, makeElement("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "What moved" }, table), more, rest);
  }

  function drawValues(q) {
    return makeElement("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Values of this query" },
      makeElement("table", {},
        makeElement("thead", {}, makeElement("tr", {}, makeElement("th", { scope: "col" }, "run"), ...measures.map((name) => makeElement("th", { scope: "col", class: "number" }, name)))),
        makeElement("tbody", {}, ...runs.map((label, run) => makeElement("tr", {}, makeElement("th", { scope: "row" }, userText(label)),
          ...measures.map((_, at) => makeElement("td", { class: "number" }, formatNumber(values[run][at][q], digits(at)))))))));
  }

  function drawQuery() {
    const q = state.query;
    const detail = data.details[q];
    const article = byId("query");
    article.replaceChildren(
      makeElement("h3", {}, "Query ", userText(queries[q], { class: "id", dir: "auto" })),
      texts.length && texts[q] ? makeElement("p", { class: "long", dir: "auto" }, texts[q]) : "",
      drawValues(q),
      ...(detail
        ? [
            makeElement("h4", {}, data.cumulated ? `Rank by rank: grade, document, gain × discount in ${measures[data.shown]}` : "Rank by rank: grade and document"),
            ...drawSideBySide(detail),
            ...(many ? [makeElement("div", { class: "plots" }, ...others.map((run) => drawMoves(detail, run)).filter(Boolean))] : []),
          ]
        : [makeElement("p", { class: "sampled" }, "The rankings of this query are not in this page.")]),
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
    const lines = [["run", "query", ...measures].map(csvField).join(",")];
    runs.forEach((label, run) => queries.forEach((id, q) => {
      lines.push([csvField(label), csvField(id), ...measures.map((_, at) => values[run][at][q] ?? "")].join(","));
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
