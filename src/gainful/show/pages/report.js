"use strict";
// The queries of a report: their differences, the table of all of them, and one at a time.
(() => {
  const { make, line, told, number, brief, signed, tone, plural, drawn, rankOf, ranksOf, WHAT, what, field } = written;
  const data = JSON.parse(document.getElementById("data").textContent);
  const { runs, base, measures, queries, values, texts } = data;
  const many = runs.length > 1;
  const others = runs.map((_, at) => at).filter((at) => at !== base);
  const byId = (id) => document.getElementById(id);
  const state = { measure: data.shown, order: many ? "changed" : "given", down: true, search: "", first: 0, query: null, whole: false };
  const PAGE = 25;

  const digits = (measure) => (data.whole[measure] ? 0 : 4);

  // ── what is known of a query ──────────────────────────────────────────────────────────────
  const value = (run, query) => values[run][state.measure][query];
  function difference(run, query) {
    const [mine, theirs] = [value(run, query), value(base, query)];
    return mine === null || theirs === null ? null : mine - theirs;
  }
  function change(query) {
    let most = null;
    for (const run of others) {
      const one = difference(run, query);
      if (one !== null && (most === null || Math.abs(one) > Math.abs(most))) most = one;
    }
    return most;
  }
  function average(query) {
    const known = runs.map((_, run) => value(run, query)).filter((one) => one !== null);
    return known.length ? known.reduce((a, b) => a + b, 0) / known.length : null;
  }
  const compared = new Intl.Collator("en", { numeric: true });
  const every = queries.map((_, at) => at);
  const ORDERS = {
    ...(many
      ? {
          changed: ["Most changed", (q) => (change(q) === null ? null : Math.abs(change(q)))],
          rose: ["Rose most", change],
          fell: ["Fell most", (q) => (change(q) === null ? null : -change(q))],
        }
      : {}),
    best: ["Best", average],
    worst: ["Worst", (q) => (average(q) === null ? null : -average(q))],
    given: ["As in the judgments", (q) => -q],
  };

  function sorted() {
    const wanted = state.search.trim().toLowerCase();
    const some = wanted
      ? every.filter((q) => queries[q].toLowerCase().includes(wanted) || (texts.length && texts[q] || "").toLowerCase().includes(wanted))
      : every.slice();
    if (state.order === "id") {
      some.sort((a, b) => compared.compare(queries[a], queries[b]));
      return state.down ? some : some.reverse();
    }
    const run = /^run(\d+)$/.exec(state.order);
    const key = run ? (q) => value(Number(run[1]), q) : ORDERS[state.order][1];
    const keys = new Map(some.map((q) => [q, key(q)]));
    const sign = state.down ? 1 : -1;
    return some.sort((a, b) => {
      const [x, y] = [keys.get(a), keys.get(b)];
      if (x === null || y === null) return (x === null) - (y === null) || a - b;
      return sign * (y - x) || a - b;
    });
  }

  // ── the differences, drawn ────────────────────────────────────────────────────────────────
  function reach(all) {
    let [low, high] = [0, 0];
    for (const of of all) for (const q of every) [low, high] = [Math.min(low, of(q) ?? 0), Math.max(high, of(q) ?? 0)];
    return [low, high];
  }

  function bars(of, caption, [low, high]) {
    const known = every.map((q) => [q, of(q)]).filter(([, one]) => one !== null).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const ends = known.map(([, one]) => one);
    const tall = high - low || 1;
    const y = (one) => (100 * (high - one)) / tall;
    const gap = known.length <= 150 ? 0.12 : 0;
    const path = (wanted) =>
      known.map(([, one], at) => (wanted(one) ? `M${at + gap} ${y(0).toFixed(3)}V${y(one).toFixed(3)}H${at + 1 - gap}V${y(0).toFixed(3)}Z` : "")).join("");
    const picture = drawn("svg", { viewBox: `0 0 ${Math.max(1, known.length)} 100`, preserveAspectRatio: "none", role: "img", "aria-label": caption });
    picture.append(
      drawn("path", { d: path((one) => one > 0), class: "bar-better" }),
      drawn("path", { d: path((one) => one < 0), class: "bar-worse" }),
      drawn("path", { d: `M0 ${y(0)}H${Math.max(1, known.length)}`, class: "bar-zero" }),
    );
    if (!ends.some((one) => Math.abs(one) > 1e-12)) return make("figure", { class: "bars" }, make("figcaption", {}, caption), make("p", { class: "quiet" }, many ? "No query differs." : "No query has a value above 0."));
    const pointed = make("span", { class: "pointed", "aria-hidden": "true" }, "\u00a0");
    const at = (event) => {
      const box = picture.getBoundingClientRect();
      return known[Math.min(known.length - 1, Math.max(0, Math.floor((known.length * (event.clientX - box.left)) / box.width)))];
    };
    if (known.length) {
      picture.addEventListener("mousemove", (event) => {
        const [q, one] = at(event);
        pointed.replaceChildren(told(queries[q]), ` ${many ? signed(one, digits(state.measure)) : number(one, digits(state.measure))}`);
      });
      picture.addEventListener("mouseleave", () => pointed.replaceChildren("\u00a0"));
      picture.addEventListener("click", (event) => opened(at(event)[0], true));
    }
    const [top, bottom] = [high, low].map((end) => (many ? signed(end, 2) : number(end, 2)));
    return make(
      "figure",
      { class: "bars" },
      make("figcaption", {}, caption),
      make("div", { class: "bars-body" }, make("span", { class: "bars-scale", "aria-hidden": "true" }, make("span", {}, top), make("span", {}, bottom)), picture),
      pointed,
    );
  }

  function differences() {
    const place = byId("differences");
    const name = measures[state.measure];
    if (!many) {
      place.replaceChildren(make("h3", {}, `${name} of each query, sorted`), bars((q) => value(0, q), plural(queries.length, "query", "queries"), reach([(q) => value(0, q)])));
      return;
    }
    const ends = reach(others.map((run) => (q) => difference(run, q))); // one scale for all
    const figures = others.map((run) => {
      const all = every.map((q) => difference(run, q)).filter((one) => one !== null);
      const [up, down] = [all.filter((one) => one > 1e-12).length, all.filter((one) => one < -1e-12).length];
      const caption = `${runs[run]} against ${runs[base]}: ${up} rose, ${down} fell, ${all.length - up - down} the same`;
      return bars((q) => difference(run, q), caption, ends);
    });
    place.replaceChildren(
      make("h3", {}, `Differences in ${name}, query by query`),
      make("div", { class: "plots" }, ...figures),
      make("p", { class: "quiet no-print" }, "Each bar is a query; click one to see its rankings."),
    );
  }

  // ── the table ─────────────────────────────────────────────────────────────────────────────
  function headed(label, order, klass) {
    const chosen = state.order === order;
    const button = make(
      "button",
      { type: "button", class: "sort", onclick: () => {
        state.down = chosen ? !state.down : true;
        byId("order").value = state.order = order; // empty where only a column can say it
        state.first = 0;
        listed();
        byId("values").querySelector(`[data-order="${order}"] button`).focus();
      } },
      told(label), chosen ? make("span", { "aria-hidden": "true" }, state.down ? " ▾" : " ▴") : null,
    );
    const rising = order === "id" ? state.down : !state.down;
    return make("th", { scope: "col", class: klass, "data-order": order, "aria-sort": chosen ? (rising ? "ascending" : "descending") : null }, button);
  }

  function cell(run, query, widest, best) {
    const one = value(run, query);
    const apart = run === base || !many ? null : difference(run, query);
    const places = digits(state.measure);
    return make(
      "td",
      { class: "number value" },
      make("span", { class: one !== null && one === best ? "best" : null }, number(one, places)),
      many ? " " : null,
      many ? make("small", { class: apart === null ? "quiet" : tone(apart) }, apart === null ? "" : signed(apart, places)) : null,
      one === null ? null : make("i", { class: "meter", style: { width: `calc((100% - 1.2rem) * ${Math.max(0, Math.min(1, one / widest))})` } }),
    );
  }

  function listed() {
    const rows = sorted();
    const last = Math.max(0, Math.floor((rows.length - 1) / PAGE) * PAGE);
    state.first = Math.min(state.first, last);
    const some = rows.slice(state.first, state.first + PAGE);
    const widest = data.bounded[state.measure] ? 1 : Math.max(1e-9, ...runs.map((_, run) => values[run][state.measure].reduce((a, b) => Math.max(a, b ?? 0), 0)));
    byId("values").tHead.replaceChildren(
      make("tr", {}, headed("query", "id", "query-head"), ...runs.map((label, run) => headed(label, `run${run}`, "number")), others.length > 1 ? headed("change", "changed", "number") : null),
    );
    byId("values").tBodies[0].replaceChildren(
      ...some.map((q) => {
        const known = runs.map((_, run) => value(run, q)).filter((one) => one !== null);
        const best = many && new Set(known).size > 1 ? Math.max(...known) : NaN;
        const most = many ? change(q) : null;
        return make(
          "tr",
          { class: q === state.query ? "chosen" : null },
          make("th", { scope: "row", class: "query-cell" },
            make("button", { type: "button", class: "open", onclick: () => opened(q, true) }, told(queries[q], { dir: "auto" })),
            texts.length && texts[q] ? told(texts[q], { class: "text", dir: "auto" }) : null),
          ...runs.map((_, run) => cell(run, q, widest, best)),
          others.length > 1 ? make("td", { class: `number ${tone(most)}` }, most === null ? "–" : signed(most, digits(state.measure))) : null,
        );
      }),
    );
    byId("place").textContent = rows.length
      ? `${(state.first + 1).toLocaleString("en")}–${(state.first + some.length).toLocaleString("en")} of ${plural(rows.length, "query", "queries")}`
      : "No query has that in it.";
    byId("back").disabled = state.first === 0;
    byId("next").disabled = state.first >= last;
  }

  // ── one query ─────────────────────────────────────────────────────────────────────────────
  const colours = new Map(data.grades.map(([grade, at]) => [grade, at]));
  function chip(grade) {
    const label = grade === null || grade === undefined ? "unjudged" : `grade ${brief(grade)}`;
    const klass = grade === null || grade === undefined ? "chip unjudged" : `chip g${colours.get(grade)}`;
    return make("span", { class: klass, title: label }, make("span", { class: "visually-hidden" }, `${label} `), make("span", { "aria-hidden": "true" }, grade === null || grade === undefined ? "–" : brief(grade)));
  }
  function move(before, after, grade) {
    const tell = grade > 0; // where a document that is worth nothing goes is neither good nor bad
    if (before === undefined) return make("span", { class: `move ${tell ? "better" : "quiet"}`, title: `not in ${runs[base]}` }, "new");
    if (before === after) return make("span", { class: "move quiet", title: "the same rank" }, "=");
    const up = before > after;
    return make("span", { class: `move ${tell ? (up ? "better" : "worse") : "quiet"}`, title: `rank ${before} in ${runs[base]}` }, `${up ? "↑" : "↓"}${Math.abs(before - after)}`);
  }

  function placed(one, run, at, before, widest) {
    const held = one.runs[run];
    const doc = held.docs[at];
    const brings = held.brings ? held.brings[at] || 0 : null;
    const [rank, until] = rankOf(held, at);
    const gain = one.gains && doc >= 0 ? one.gains[doc] : 0;
    const left = held.discounts ? held.discounts[at] : data.weights[at];
    const work = brings ? `gain ${brief(gain)} × discount ${number(left)} = ${number(brings)}` : null;
    return make(
      "td",
      { class: "placed", "data-doc": doc, title: work },
      line(
        chip(doc < 0 ? null : one.grades[doc]),
        doc < 0 ? make("i", { class: "quiet" }, "filled up") : told(one.docs[doc], { class: "doc", dir: "auto" }),
        until > rank ? make("small", { class: "quiet" }, `tied to ${until}`) : null,
        run === base || doc < 0 || !one.runs[base] ? null : move(before.get(doc), (rank + until) / 2, one.grades[doc]),
        brings ? make("span", { class: "brings" }, number(brings, 3)) : null),
      brings ? make("i", { class: "meter", style: { width: `${(100 * Math.abs(brings)) / widest}%` } }) : null,
    );
  }

  function best(one, ideal, at, widest) {
    if (at >= ideal.docs.length) return make("td", { class: "placed ideal" });
    const doc = ideal.docs[at];
    return make(
      "td",
      { class: "placed ideal", "data-doc": doc, title: `gain ${brief(ideal.gains[at])} × discount ${number(data.weights[at])} = ${number(ideal.brings[at])}` },
      line(
        doc < 0 ? make("span", { class: "quiet" }, `gain ${brief(ideal.gains[at])}`) : chip(one.grades[doc]),
        doc < 0 ? null : told(one.docs[doc], { class: "doc", dir: "auto" }),
        make("span", { class: "brings" }, number(ideal.brings[at], 3))),
      make("i", { class: "meter", style: { width: `${(100 * Math.abs(ideal.brings[at])) / widest}%` } }),
    );
  }

  const quotient = (run, found) => (run && data.normalised && found !== null && run.idcg > 0 ? make("small", {}, `÷ ${number(run.idcg)} = ${number(found)}`) : null);

  function sideBySide(one) {
    const held = one.runs;
    const deep = Math.max(1, ...held.map((run) => (run ? run.docs.length : 0)), ...one.ideals.map((ideal) => ideal.docs.length));
    const usual = Math.min(deep, Math.max(10, Math.min(data.depth || 10, 20)));
    const shown = state.whole ? deep : usual;
    const widest = Math.max(1e-9, ...held.flatMap((run) => (run && run.brings ? run.brings.map(Math.abs) : [])), ...one.ideals.flatMap((ideal) => ideal.brings.map(Math.abs)));
    const before = ranksOf(held[base]);
    const wide = 1 + runs.length + one.ideals.length;
    const rows = [];
    for (let at = 0; at < shown; at += 1) {
      if (data.depth && at === data.depth) rows.push(make("tr", { class: "cut" }, make("td", { colspan: wide }, `${measures[data.shown]} looks no further`)));
      rows.push(
        make("tr", { class: data.depth && at >= data.depth ? "below" : null },
          make("th", { scope: "row", class: "number rank" }, String(at + 1)),
          ...runs.map((_, run) => (held[run] && at < held[run].docs.length ? placed(one, run, at, before, widest) : make("td", { class: "placed" }))),
          ...one.ideals.map((ideal) => best(one, ideal, at, widest))),
      );
    }
    const sums = data.cumulated
      ? make("tr", { class: "sum" }, make("th", { scope: "row", class: "number" }, "Σ"),
          ...held.map((run, at) => make("td", { class: "number" }, run && run.dcg !== undefined ? number(run.dcg) : "–", quotient(run, values[at][data.shown][state.query]))),
          ...one.ideals.map((ideal) => make("td", { class: "number" }, number(held[ideal.of[0]].idcg))))
      : null;
    const head = make("tr", {}, make("th", { scope: "col", class: "number" }, "rank"),
      ...runs.map((label, run) => make("th", { scope: "col" }, told(label), held[run] ? null : " (not there)")),
      ...one.ideals.map((ideal) => make("th", { scope: "col" }, one.ideals.length > 1 ? `ideal of ${ideal.of.map((run) => runs[run]).join(", ")}` : "ideal")));
    const table = make("table", { class: "side" }, make("thead", {}, head), make("tbody", {}, ...rows), sums ? make("tfoot", {}, sums) : null);
    const lit = (event) => {
      const found = event.target.closest("[data-doc]");
      const doc = event.type === "mouseover" && found ? found.dataset.doc : null;
      for (const td of table.querySelectorAll("[data-doc]")) td.classList.toggle("lit", doc !== null && doc !== "-1" && td.dataset.doc === doc);
    };
    table.addEventListener("mouseover", lit);
    table.addEventListener("mouseleave", lit);
    const more = deep > usual
      ? make("button", { type: "button", class: "no-print", onclick: () => { state.whole = !state.whole; query(); } }, state.whole ? `Only ${usual} ranks` : `All ${deep} ranks`)
      : null;
    const rest = held.reduce((a, run) => a + (run ? run.more : 0), 0);
    return [
      make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Rankings side by side" }, table),
      make("p", { class: "quiet" }, more, rest ? ` ${plural(rest, "document", "documents")} further down not in this page.` : null),
    ];
  }

  function moved(one, run) {
    if (!one.runs[run] || !one.runs[base]) return null;
    const [before, after] = [ranksOf(one.runs[base]), ranksOf(one.runs[run])];
    const known = one.moved && one.moved[run];
    const earned = (held, doc) => held.docs.reduce((sum, other, at) => (other === doc ? sum + (held.brings[at] || 0) : sum), 0);
    // A sum over documents is explained by its terms, as long as both have the same ideal.
    const whole = !data.normalised ? 1 : one.runs[run].idcg === one.runs[base].idcg ? one.runs[base].idcg : 0;
    const unit = whole > 0 ? whole : 1;
    let rows;
    if (known) rows = known.docs.map((doc, at) => [doc, known.shares[at]]);
    else {
      const docs = new Set([...before.keys(), ...after.keys()]);
      rows = [...docs].filter((doc) => one.grades[doc] !== null).map((doc) => [doc, data.cumulated ? (earned(one.runs[run], doc) - earned(one.runs[base], doc)) / unit : null]);
      rows = data.cumulated
        ? rows.filter(([, share]) => Math.abs(share) > 1e-9).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]))
        : rows.filter(([doc]) => before.get(doc) !== after.get(doc) && one.grades[doc] > 0);
    }
    const [mine, theirs] = [values[run][data.shown], values[base][data.shown]].map((column) => column[state.query]);
    const head = make("h4", {}, "From ", told(runs[base]), " to ", told(runs[run]), mine === null || theirs === null ? "" : `, ${data.measures[data.shown]}: ${number(theirs)} → ${number(mine)} (${signed(mine - theirs)})`);
    if (!rows.length) return make("div", {}, head, make("p", { class: "quiet" }, "No judged document moved where it counts."));
    const told10 = rows.slice(0, 10);
    const rank = (found, doc) => (found.has(doc) ? String(found.get(doc)) : "–");
    const label = known || whole > 0 ? "explains" : "gain × discount";
    const table = make("table", {},
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "document"), make("th", { scope: "col", class: "number" }, "rank"), make("th", { scope: "col" }, ""), rows[0][1] === null ? null : make("th", { scope: "col", class: "number" }, label))),
      make("tbody", {}, ...told10.map(([doc, share]) => make("tr", {},
        make("td", {}, line( chip(one.grades[doc]), told(one.docs[doc], { class: "doc", dir: "auto" }))),
        make("td", { class: "number" }, `${rank(before, doc)} → ${rank(after, doc)}`),
        make("td", {}, WHAT[what(before.get(doc), after.get(doc))]),
        share === null ? null : make("td", { class: `number ${tone(share)}` }, signed(share))))));
    const more = rows.length > 10 ? make("p", { class: "quiet" }, `… and ${plural(rows.length - 10, "more document", "more documents")}`) : null;
    const rest = known && Math.abs(known.rest) > 5e-5 ? make("p", { class: "quiet" }, `without any document above: ${signed(known.rest)}`) : null;
    return make("div", {}, head, make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "What moved" }, table), more, rest);
  }

  function valuesOf(q) {
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Values of this query" },
      make("table", {},
        make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "run"), ...measures.map((name) => make("th", { scope: "col", class: "number" }, name)))),
        make("tbody", {}, ...runs.map((label, run) => make("tr", {}, make("th", { scope: "row" }, told(label)),
          ...measures.map((_, at) => make("td", { class: "number" }, number(values[run][at][q], digits(at)))))))));
  }

  function query() {
    const q = state.query;
    const one = data.details[q];
    const article = byId("query");
    article.replaceChildren(
      make("h3", {}, "Query ", told(queries[q], { class: "id", dir: "auto" })),
      texts.length && texts[q] ? make("p", { class: "long", dir: "auto" }, texts[q]) : "",
      valuesOf(q),
      ...(one
        ? [
            make("h4", {}, data.cumulated ? `Rank by rank: grade, document, gain × discount in ${measures[data.shown]}` : "Rank by rank: grade and document"),
            ...sideBySide(one),
            ...(many ? [make("div", { class: "plots" }, ...others.map((run) => moved(one, run)).filter(Boolean))] : []),
          ]
        : [make("p", { class: "sampled" }, "The rankings of this query are not in this page.")]),
    );
  }

  function opened(q, go) {
    state.query = q;
    query();
    listed();
    if (!go) return;
    try {
      history.replaceState(null, "", `#query=${encodeURIComponent(queries[q])}`);
    } catch { /* some browsers keep a page on disk from saying where it is */ }
    byId("query").scrollIntoView({ block: "start" });
    byId("query").focus({ preventScroll: true });
  }

  // ── values to take away ───────────────────────────────────────────────────────────────────
  function csv() {
    const lines = [["run", "query", ...measures].map(field).join(",")];
    runs.forEach((label, run) => queries.forEach((id, q) => {
      lines.push([field(label), field(id), ...measures.map((_, at) => values[run][at][q] ?? "")].join(","));
    }));
    return `${lines.join("\n")}\n`;
  }
  byId("download").addEventListener("click", () => {
    const address = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
    make("a", { href: address, download: "values.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  });

  // ── the controls ──────────────────────────────────────────────────────────────────────────
  byId("measure").append(...measures.map((name, at) => make("option", { value: at, selected: at === state.measure }, name)));
  byId("order").append(...Object.entries(ORDERS).map(([name, [label]]) => make("option", { value: name, selected: name === state.order }, label)));
  byId("measure").addEventListener("change", (event) => { state.measure = Number(event.target.value); differences(); listed(); });
  byId("order").addEventListener("change", (event) => { Object.assign(state, { order: event.target.value, down: true, first: 0 }); listed(); });
  byId("search").addEventListener("input", (event) => { Object.assign(state, { search: event.target.value, first: 0 }); listed(); });
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  byId("back").addEventListener("click", () => { state.first = Math.max(0, state.first - PAGE); listed(); });
  byId("next").addEventListener("click", () => { state.first += PAGE; listed(); });

  byId("values").style.maxWidth = `${16 + 14 * runs.length}rem`;
  differences();
  let asked = -1;
  try {
    if (location.hash.startsWith("#query=")) asked = queries.indexOf(decodeURIComponent(location.hash.slice(7)));
  } catch { /* a broken address opens no query */ }
  if (asked >= 0) opened(asked, true);
  else if (data.first !== null) opened(data.first, false);
  else listed();
})();
