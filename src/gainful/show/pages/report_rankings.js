"use strict";
// One query of a report of runs: their rankings side by side, rank by rank, and what moved.
const Detail = (() => {
  const { makeElement, makeLine, userText, formatNumber, formatBriefly, withSign, tone, countNoun } = Elements;
  const data = JSON.parse(document.getElementById("data").textContent);
  const { runs, measures, values } = data;
  let base = data.base, shown = []; // the run that others are compared with, and all that are laid out
  let whole = false; // all ranks, or those that count
  let query = null;
  let redraw = () => {};

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

  // A document by its id; what it says is folded behind that, where the page has it.
  function nameDocument(id) {
    const label = userText(id, { class: "doc" }), text = Object.hasOwn(data.documents, id) ? data.documents[id] : "";
    return text ? makeElement("details", { class: "doc-text" }, makeElement("summary", {}, label), makeElement("p", { dir: "auto", tabindex: 0 }, text)) : label;
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
        doc < 0 ? makeElement("i", { class: "quiet" }, "filled up") : nameDocument(detail.docs[doc]),
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
    const fullDepth = Math.max(1, ...shown.map((run) => (rankings[run] ? rankings[run].docs.length : 0)), ...detail.ideals.map((ideal) => ideal.docs.length));
    const usualDepth = Math.min(fullDepth, Math.max(10, Math.min(data.depth || 10, 20)));
    const shownDepth = whole ? fullDepth : usualDepth;
    const widest = Math.max(1e-9, ...rankings.flatMap((run) => (run && run.brings ? run.brings.map(Math.abs) : [])), ...detail.ideals.flatMap((ideal) => ideal.brings.map(Math.abs)));
    const before = meanRanks(rankings[base]);
    const ideals = detail.ideals.filter((ideal) => ideal.of.some((run) => shown.includes(run))), wide = 1 + shown.length + ideals.length;
    const rows = [];
    for (let at = 0; at < shownDepth; at += 1) {
      if (data.depth && at === data.depth) rows.push(makeElement("tr", { class: "cut" }, makeElement("td", { colspan: wide }, `${measures[data.shown]} stops here`)));
      rows.push(
        makeElement("tr", { class: data.depth && at >= data.depth ? "below" : null },
          makeElement("th", { scope: "row", class: "number rank" }, String(at + 1)),
          ...shown.map((run) => (rankings[run] && at < rankings[run].docs.length ? makeDocumentCell(detail, run, at, before, widest) : makeElement("td", { class: "placed" }))),
          ...ideals.map((ideal) => makeIdealCell(detail, ideal, at, widest))),
      );
    }
    const sums = data.cumulated
      ? makeElement("tr", { class: "sum" }, makeElement("th", { scope: "row", class: "number" }, "Σ"),
          ...shown.map((at) => makeElement("td", { class: "number" }, rankings[at] && rankings[at].dcg !== undefined ? formatNumber(rankings[at].dcg) : "–", quotient(rankings[at], values[at][data.shown][query]))),
          ...ideals.map((ideal) => makeElement("td", { class: "number" }, formatNumber(rankings[ideal.of[0]].idcg))))
      : null;
    const head = makeElement("tr", {}, makeElement("th", { scope: "col", class: "number" }, "rank"),
      ...shown.map((run) => makeElement("th", { scope: "col" }, userText(runs[run]), rankings[run] ? null : " (missing)")),
      ...ideals.map((ideal) => makeElement("th", { scope: "col" }, ideals.length > 1 ? `ideal of ${ideal.of.map((run) => runs[run]).join(", ")}` : "ideal")));
    const table = makeElement("table", { class: "side" }, makeElement("thead", {}, head), makeElement("tbody", {}, ...rows), sums ? makeElement("tfoot", {}, sums) : null);
    const highlight = (event) => {
      const cell = event.target.closest("[data-doc]");
      const doc = event.type === "mouseover" && cell ? cell.dataset.doc : null;
      for (const td of table.querySelectorAll("[data-doc]")) td.classList.toggle("lit", doc !== null && doc !== "-1" && td.dataset.doc === doc);
    };
    table.addEventListener("mouseover", highlight);
    table.addEventListener("mouseleave", highlight);
    const more = fullDepth > usualDepth
      ? makeElement("button", { type: "button", class: "no-print", onclick: () => { whole = !whole; redraw(); } }, whole ? `Only ${usualDepth} ranks` : `All ${fullDepth} ranks`)
      : null;
    const rest = rankings.reduce((a, run) => a + (run ? run.more : 0), 0);
    return [
      makeElement("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Rankings side by side" }, table),
      makeElement("p", { class: "quiet" }, more, rest ? ` ${countNoun(rest, "document", "documents")} further down ${rest === 1 ? "is" : "are"} not in this page.` : null),
    ];
  }

  function drawMoves(detail, run) {
    if (!detail.runs[run] || !detail.runs[base]) return null;
    const [before, after] = [meanRanks(detail.runs[base]), meanRanks(detail.runs[run])];
    const changes = base === data.base && detail.moved && detail.moved[run];
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
    const [mine, theirs] = [values[run][data.shown], values[base][data.shown]].map((column) => column[query]);
    const head = makeElement("h4", {}, "From ", userText(runs[base]), " to ", userText(runs[run]), mine === null || theirs === null ? "" : `, ${data.measures[data.shown]}: ${formatNumber(theirs)} → ${formatNumber(mine)} (${withSign(mine - theirs)})`);
    if (!rows.length) return makeElement("div", {}, head, makeElement("p", { class: "quiet" }, "No judged document moved at a rank that counts."));
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
    const rest = changes && Math.abs(changes.rest) > 5e-5 ? makeElement("p", { class: "quiet" }, `not explained by the documents above: ${withSign(changes.rest)}`) : null;
    return makeElement("div", {}, head, makeElement("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "What moved" }, table), more, rest);
  }

  // Everything about a query, of these runs against one of them; `again` draws it once more.
  function draw(q, again, those, against) {
    const detail = data.details[q];
    [query, redraw, shown, base] = [q, again, those, against];
    if (!detail) return [makeElement("p", { class: "sampled" }, `This page does not include the rankings of this ${data.words.unit}.`)];
    return [
      makeElement("h4", {}, data.cumulated ? `Rank by rank: grade, document, gain × discount in ${measures[data.shown]}` : "Rank by rank: grade and document"),
      ...drawSideBySide(detail),
      ...(runs.length > 1 ? [makeElement("div", { class: "plots" }, ...shown.filter((run) => run !== base).map((run) => drawMoves(detail, run)).filter(Boolean))] : []),
    ];
  }

  return { draw };
})();
