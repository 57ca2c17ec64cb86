"use strict";
// The controls, and what follows from them: settings → numbers → verdict, map, charts, tables and words.
(() => {
  const { makeElement, byId, userText, shorten, fillOptions, formatNumber, withSign, makeLineKey, countNoun, isKnown, writeAddress } = Elements;
  const data = JSON.parse(byId("data").textContent);
  const study = Curves.prepareStudy(data), MAX_LINES = 60, mostShown = data.queries.shown.reduce((most, count) => Math.max(most, count), 0);
  const SETTINGS = ["discount", "query_discount", "duplicates", "ideal", "hold"];
  const set = {}, words = Words(data, study, set), { discount, hasWeights, fewestQueries, presets } = words;
  const start = { normalised: data.start.normalised, b: data.start.b, bq: data.start.bq, x: data.start.x, weights: data.gains[0].weights, by: data.start.by, where: {}, minQueries: fewestQueries, ...Object.fromEntries(SETTINGS.map((name) => [name, data.start[name]])) };
  const limits = { b: [1.01, 999], bq: [1.01, 999], x: [1, data.start.deepest], weight: [-1e6, 1e6], minQueries: [fewestQueries, study.allQueries.reduce((most, count) => Math.max(most, count), 1)] };
  const link = Link(data, study, limits, SETTINGS);
  const askSurvey = Searchers.makeSurveyor(data, study, [...document.querySelectorAll("script.numbers")].map((script) => script.textContent).join("\n"));
  let selected = null, chosen = null, pair = [null, null], verdict = null, survey = null, result = null, layout = null, pending = null, problems = [];
  const rows = {}; // what is drawn, by chart

  function nameOf(code, by = set.by) {
    if (by === null) return "all sessions";
    const value = study.columns.get(by).values[code];
    return value === null ? `no ${by}` : /^\d+$|^.$/u.test(value) ? `${by} ${value}` : value;
  }
  const groupOf = (s) => (set.by === null ? 0 : study.columns.get(set.by).code[s]);
  const isCompared = (code) => layout.codes.length === 1 || [verdict.leader, verdict.other].includes(layout.codes.indexOf(code));
  const dashOf = (code) => data.look.dashes[code % data.look.dashes.length];

  // ── from settings to the page ──
  let waiting = false;
  function schedule() { // however many inputs come before the next picture, it is drawn once
    if (waiting) return;
    waiting = true;
    pending = new Promise((done) => { requestAnimationFrame(() => { waiting = false; done(update()); }); });
  }

  let latest = 0;
  async function update() {
    const turn = ++latest;
    layout = Searchers.layOut(study, set);
    const none = layout.sessions.length === 0;
    for (const part of document.querySelectorAll(".views, .answer, #verdict")) part.hidden = none;
    if (survey?.codes.join() !== layout.codes.join()) survey = null; // it is of other groups
    if (!none) {
      verdict = Searchers.judge(layout, set, pair);
      drawVerdict();
      drawGroups();
    }
    tellTrouble(none);
    // The verdict and the map come first, all else after them.
    if (!none && !(await drawSurvey(turn))) return; // a later update draws all
    words.describe();
    if (layout.sessions.length > 0) {
      result = Curves.computeCurves(study, set);
      listSessions();
      drawCharts();
      drawSession();
    }
    writeAddress(link.write(set, start, pair, chosen));
  }

  function tellTrouble(none) {
    const trouble = none ? "No session matches. Remove some conditions."
      : !layout.hasGain ? "With these settings no result has a gain, so every value is zero and there is nothing to compare."
      : verdict.leader === undefined ? "None of these sessions has relevant documents, so all are left out and there is no mean." : "";
    byId("message").textContent = [trouble, problems.length ? `This link has settings that this page cannot show: ${problems.join("; ")}.` : ""].filter(Boolean).join(" ");
    byId("message").hidden = !byId("message").textContent;
  }

  // The answer to the verdict of screen readers: once it has settled, and only if it changed.
  let speaking = 0;
  function drawVerdict() {
    const [who, what, rest] = words.writeVerdict(verdict, layout.codes, survey, nameOf);
    byId("verdict").replaceChildren(who, makeElement("strong", { class: verdict.other === undefined || verdict.ties ? null : `colour-${layout.codes[verdict.leader] % 7}` }, what), rest);
    clearTimeout(speaking);
    speaking = setTimeout(() => { const sentence = byId("verdict").textContent; if (byId("spoken").textContent !== sentence) byId("spoken").textContent = sentence; }, 700);
  }

  function drawGroups() {
    byId("group-column").textContent = set.by ?? "group";
    const columns = new Map(layout.codes.map((code) => [code, { sessions: 0, queries: 0 }]));
    layout.sessions.forEach((s) => { const group = columns.get(groupOf(s)); group.sessions++; group.queries += study.first[s + 1] - study.first[s]; });
    byId("groups").tBodies[0].replaceChildren(...layout.codes.map((code, g) => {
      const leads = verdict.other !== undefined && !verdict.ties && g === verdict.leader;
      return makeElement("tr", { class: leads ? "leads" : null },
        makeElement("th", { scope: "row" }, makeLineKey(code, dashOf(code)), userText(nameOf(code), {}, 60), leads ? " " : null, leads ? makeElement("span", { class: "mark" }, verdict.isSure ? "leads" : "ahead") : null),
        ...[columns.get(code).sessions, columns.get(code).queries, formatNumber(verdict.means[g])].map((value) => makeElement("td", { class: "number" }, value)));
    }));
    byId("pair").hidden = layout.codes.length < 3;
    ["compare", "other"].forEach((id, n) => {
      fillOptions(byId(id), [["", n ? "the runner-up" : "the leader"], ...layout.codes.map((code) => [code, nameOf(code)])]);
      byId(id).value = pair[n] ?? "";
    });
    byId("drawn").textContent = verdict.interval ? `Interval: percentile bootstrap, ${data.units.words} resampled ${data.units.resamples.toLocaleString("en")} times. gainful compare computes its interval from its test, so the two differ slightly.` : "";
  }

  // ── the map ──
  let slow = 0; // the timer of the one survey that is waited for
  // Draws the map once it is there; false where another setting came before, for which all is drawn again. The first is
  // computed here: who photographs or prints a page as soon as it is loaded does not wait for a worker.
  async function drawSurvey(turn) {
    const why = layout.codes.length < 2 ? data.map.why ?? "there are no two groups to compare" : verdict.other === undefined ? "fewer than two groups have a mean" : "";
    byId("map-figure").hidden = Boolean(why);
    byId("map-state").textContent = "";
    clearTimeout(slow);
    if (why) { survey = null; rows.map = null; byId("drawn").textContent += set.by === null && data.start.by !== null ? "" : ` There is no map of b and bq: ${why}.`; return true; }
    if (survey) Charts.moveRing(byId("map"), set); else { byId("map").replaceChildren(makeElement("p", { class: "quiet" }, "The map is being computed.")); }
    slow = setTimeout(() => { byId("map-state").textContent = "The map is being computed."; byId("map").classList.add("stale"); }, 120);
    const { leader, other, reach } = verdict, answer = await (turn === 1 ? Searchers.survey(study, set, data.map, verdict) : askSurvey(set, { leader, other, reach }));
    if (answer === undefined || waiting || answer.codes.join() !== layout.codes.join()) return false;
    survey = answer;
    for (const place of document.querySelectorAll(".chart")) place.wide = place.clientWidth; // all at once, before the layout changes
    drawVerdict();
    drawMap();
    if (turn === latest) { clearTimeout(slow); byId("map").classList.remove("stale"); byId("map-state").textContent = ""; }
    if (turn > 1) await new Promise((painted) => { requestAnimationFrame(() => setTimeout(painted)); });
    return !waiting; // what is set now may be of other groups
  }

  function drawMap() {
    const measured = data.measured && ["b", "bq"].map((base) => data.measured[base] ? [data.measured[base].low, data.measured[base].value, data.measured[base].high] : [data.map[base][0], Math.sqrt(data.map[base][0] * data.map[base][1]), data.map[base][1]]);
    const fields = survey.codes.map((code, g) => ({ colour: code, name: nameOf(code), leads: survey.leads[g], sure: survey.sure[g] }));
    rows.map = { ...survey, here: { b: set.b, bq: set.bq }, measured };
    Charts.drawMap(byId("map"), {
      b: survey.b, bq: survey.bq, fields, here: set, measured: measured && { b: measured[0], bq: measured[1] }, label: "The leading group by b and bq. Arrow keys move the ring.",
      onMove: (b, bq) => { Object.assign(set, { b, bq }); problems = []; show(); schedule(); },
    });
    byId("map-note").textContent = `The ring marks your setting: click to move it. Pale: not significant${verdict.few ? " (too few sessions to be sure)" : ""}.${data.measured ? " Dashed box and cross: the confidence intervals and the estimate of the searchers." : ""}`;
  }

  // ── charts ──
  function drawCharts() {
    const x = set.x, longest = result.groups.reduce((most, group) => Math.max(most, group.longest), 1), end = longest * x;
    const value = set.normalised ? "share of the ideal" : "gain";
    for (const place of document.querySelectorAll(".lot")) place.textContent = `${countNoun(x, "result", "results")}${mostShown < x ? ` (no query shows more than ${mostShown})` : ""}`;
    const axis = { low: 0, high: end, title: `query, ${countNoun(x, "rank", "ranks")} each`, grid: Array.from({ length: longest + 1 }, (_, n) => n * x), ticks: Array.from({ length: longest }, (_, n) => [(n + 0.5) * x, `Q${n + 1}`]) };
    const place = (position) => `Q${Math.ceil(position / x)}, rank ${((position - 1) % x) + 1}: `;
    const curves = new Map(result.groups.map((group) => [group.code, layCurve(group, end)]));
    const series = result.groups.map((group) => ({ colour: group.code, dash: dashOf(group.code), name: set.by === null ? "" : nameOf(group.code), ...curves.get(group.code), band: isCompared(group.code) ? curves.get(group.code).band : [] }));
    const drawn = sample(result.sessions), behind = byId("single").checked ? drawn.map(layLine) : [];
    byId("line-count").textContent = !byId("single").checked ? "" : drawn.length < result.sessions.length ? `${drawn.length} of ${result.sessions.length} sessions are drawn in the background, an even selection; click one to see it below.` : drawn.length === 1 ? "There is one session." : `All ${drawn.length} sessions are drawn in the background; click one to see it below.`;
    Object.assign(rows, { curves: series, lines: behind });
    Charts.drawLines(byId("curves"), {
      label: `Mean ${value} by query and rank`, height: 320, x: axis, y: { title: value }, series, behind, positions: [1, end], onOpen: (s) => { selected = chosen = s; schedule(); },
      describe: (position) => [place(position), ...result.groups.flatMap((group, n) => [n ? " · " : "", userText(nameOf(group.code), { class: `colour-${group.code % 7}` }, 30), ` ${describeAt(curves.get(group.code), position)}`])],
    });
    drawDifference(axis, curves, place, end);
    drawLast(x);
  }

  // The mean curve of a group with its band, held to the end of the longest session of all.
  function layCurve(group, end) {
    const errors = result.standardErrors(group);
    const points = Array.from(group.curve, (mean, p) => [p + 1, Number.isNaN(mean) ? null : mean]);
    if (set.hold !== "growing" && points.length < end && isKnown(group.mean)) points.push([end, group.mean]);
    return { points, band: layBand(points, errors), at: (position) => group.curve[Math.min(position, group.curve.length) - 1], error: (position) => errorAt(errors, position) };
  }
  const errorAt = (errors, position) => errors[Math.min(position, errors.length) - 1];
  const layBand = (points, errors) => points.map(([at, mean]) => [at, mean, 1.96 * errorAt(errors, at)]).filter(([, mean, reach]) => mean !== null && Number.isFinite(reach)).map(([at, mean, reach]) => [at, mean - reach, mean + reach]);
  function describeAt(curve, position, format = formatNumber) {
    const mean = curve.at(position), reach = 1.96 * curve.error(position);
    return !isKnown(mean) ? "–" : `${format(mean, 3)}${Number.isFinite(reach) ? ` (${format(mean - reach, 3)} to ${format(mean + reach, 3)})` : ""}`;
  }

  function layLine(s) {
    const line = result.line(s);
    return { id: s, colour: groupOf(s), chosen: s === chosen, title: shorten(data.sessions.names[s], 60), points: Array.from(line, (mean, p) => [p + 1, Number.isNaN(mean) ? null : mean]) };
  }

  // The leader's curve less the other's.
  function drawDifference(axis, curves, place, end) {
    byId("difference-part").hidden = verdict.other === undefined;
    if (verdict.other === undefined) { rows.difference = null; return; }
    const [first, second] = [verdict.leader, verdict.other].map((g) => result.groups.find((group) => group.code === layout.codes[g]));
    const [one, other] = [first, second].map((group) => curves.get(group.code));
    const errors = result.standardErrors(first, second);
    const at = (position) => one.at(position) - other.at(position), points = Array.from({ length: end }, (_, p) => [p + 1, isKnown(at(p + 1)) ? at(p + 1) : null]);
    const curve = { points, band: layBand(points, errors), at, error: (position) => errorAt(errors, position) };
    rows.difference = curve;
    byId("difference-head").replaceChildren("The difference: ", userText(nameOf(first.code), {}, 40), " − ", userText(nameOf(second.code), {}, 40));
    Charts.drawLines(byId("difference"), { label: "Difference of the two curves by query and rank", height: 210, x: axis, y: { title: "difference" }, fit: [0], series: [{ colour: first.code, name: "", ...curve }], positions: [1, end], describe: (position) => [place(position), describeAt(curve, position, (number, digits) => withSign(number, digits))] });
  }

  // What the last query of sessions gained down to each rank, and the queries before it.
  function drawLast(x) {
    const series = result.groups.flatMap((group) => [["last", group.last], ["before", group.others]].filter(([, means]) => means).map(([which, means]) => ({
      colour: group.code, group: group.code, which, thin: which !== "last", dash: which === "last" ? [1, 0] : [4, 3], name: `${set.by === null ? "" : shorten(nameOf(group.code), 24)} ${which}`.trim(), points: Array.from(means, (mean, i) => [i + 1, mean]),
    })));
    rows.last = series;
    Charts.drawLines(byId("last"), {
      label: "Mean gain of last queries and of earlier queries, by rank", height: 260, y: { title: "gain of a query" }, series, positions: [1, x],
      x: { low: 1, high: Math.max(x, 2), title: "rank", grid: [], ticks: Array.from({ length: x }, (_, i) => [i + 1, String(i + 1)]) },
      describe: (rank) => [`rank ${rank}: `, ...series.flatMap((one, n) => [n ? " · " : "", userText(one.name, { class: `colour-${one.colour % 7}` }, 30), ` ${formatNumber(one.points[rank - 1][1], 3)}`])],
    });
  }

  // At most so many sessions, evenly spread, the chosen one among them.
  function sample(sessions) {
    if (sessions.length <= MAX_LINES) return sessions;
    const few = Array.from({ length: MAX_LINES }, (_, n) => sessions[Math.floor((n * sessions.length) / MAX_LINES)]);
    if (chosen !== null && sessions.includes(chosen) && !few.includes(chosen)) few[MAX_LINES - 1] = chosen;
    return few;
  }

  // ── one session ──
  let listedChoice = "";
  function listSessions() {
    const choice = JSON.stringify([set.where, set.minQueries, set.by]);
    if (selected === null || !result.sessions.includes(selected)) selected = result.sessions[0];
    if (choice !== listedChoice) {
      listedChoice = choice;
      fillOptions(byId("session"), result.sessions.map((s) => [s, `${shorten(data.sessions.names[s], 40)} · ${countNoun(study.first[s + 1] - study.first[s], "query", "queries")}${set.by === null ? "" : ` · ${shorten(nameOf(groupOf(s)), 20)}`}`]));
    }
    byId("session").value = selected;
  }

  function drawSession() {
    const steps = result.explain(selected), total = steps.reduce((sum, query) => sum + query.added, 0);
    const columns = data.columns.filter((column) => column.values[column.code[selected]] !== null).map((column) => `${column.name} ${column.values[column.code[selected]]}`);
    Session.showSession(byId("session-detail"), data, { name: data.sessions.names[selected], columns }, steps, set.normalised ? result.values[selected] : null, total);
  }

  // ── the address ──
  function readAddress() {
    if (location.hash && !location.hash.includes("=")) return false; // a place in the page
    let asked;
    try { asked = link.read(location.hash.slice(1), start); } catch { return false; }
    Object.assign(set, asked.set);
    ({ pair, problems, session: chosen } = asked);
    selected = chosen;
    return true;
  }
  function reset() {
    Object.assign(set, structuredClone(start), { where: Object.create(null) });
    pair = [null, null];
    problems = [];
    chosen = selected = null;
  }

  // ── controls ──
  function show() { // what is set, on the controls
    for (const name of ["b", "bq", "x"]) for (const id of [name, `${name}-number`]) { byId(id).value = set[name]; byId(id).removeAttribute("aria-invalid"); }
    for (const [id, name] of [["b", "discount"], ["bq", "query_discount"]]) for (const control of [id, `${id}-number`]) byId(control).disabled = !discount(name).based;
    for (const radio of document.getElementsByName("normalised")) radio.checked = (radio.value === "1") === set.normalised;
    for (const name of SETTINGS) byId(name).value = set[name];
    for (const name of ["ideal", "hold"]) byId(name).disabled = !set.normalised;
    byId("by").value = set.by ?? "";
    byId("min-queries").value = set.minQueries;
    data.columns.forEach((column, n) => { byId(`where-${n}`).value = set.where[column.name] ?? ""; });
    byId("gain").value = data.gains.findIndex(hasWeights);
    const most = Math.max(10, ...set.weights);
    set.weights.forEach((weight, code) => {
      if (!byId(`weight-${code}`)) return;
      byId(`weight-${code}`).max = most;
      byId(`weight-${code}`).value = weight;
      if (document.activeElement !== byId(`weight-${code}-number`)) byId(`weight-${code}-number`).value = weight;
    });
    showPresets();
  }
  function showPresets() {
    for (const button of byId("presets").children) button.setAttribute("aria-pressed", String(button.value === words.findPreset()));
  }

  // A number from a control, if it is one that is allowed; else the control says so.
  function readNumber(control, [low, high], whole) {
    const value = control.value.trim() === "" ? NaN : Number(control.value);
    const good = Number.isFinite(value) && value >= low && value <= high && (!whole || Number.isInteger(value));
    if (good) control.removeAttribute("aria-invalid"); else control.setAttribute("aria-invalid", "true");
    control.setCustomValidity?.(good ? "" : `From ${+low.toPrecision(3)} to ${+high.toPrecision(3)}${whole ? ", a whole number" : ""}; the page keeps the previous value`);
    if (!good && control.value.trim() !== "") control.reportValidity?.();
    return good ? value : null;
  }

  function listen(control, change) {
    control.addEventListener("input", () => { if (change(control) !== false) { problems = []; showPresets(); schedule(); } });
  }

  function buildControls() {
    byId("presets").replaceChildren(...Object.keys(presets).map((name) => makeElement("button", { type: "button", value: name, onclick: () => { Object.assign(set, presets[name]); problems = []; show(); schedule(); } }, name)));
    for (const name of ["b", "bq", "x"]) {
      const [low, high] = name === "x" ? limits.x : data.bases[name].typical;
      Object.assign(byId(name), { min: low, max: high });
      Object.assign(byId(`${name}-number`), { min: limits[name][0], max: limits[name][1] });
      for (const [id, other] of [[name, `${name}-number`], [`${name}-number`, name]]) {
        listen(byId(id), (control) => {
          const value = readNumber(control, limits[name], name === "x");
          if (value === null) return false;
          set[name] = value;
          byId(other).value = value;
          byId(other).removeAttribute("aria-invalid");
        });
      }
    }
    for (const name of ["b", "bq"]) {
      const measured = data.measured?.[name];
      byId(`${name}-measured`).hidden = !measured;
      if (measured) byId(`${name}-measured`).textContent = `measured: ${measured.text}`;
    }
    for (const radio of document.getElementsByName("normalised")) listen(radio, () => { set.normalised = radio.value === "1"; show(); });
    fillOptions(byId("gain"), [...data.gains.map((gain, n) => [n, `${gain.name}: ${gain.meaning}`]), [-1, "your own weights"]]);
    listen(byId("gain"), (control) => { if (control.value !== "-1") set.weights = [...data.gains[control.value].weights]; show(); });
    byId("no-weights").hidden = data.grades.sliders;
    if (data.grades.sliders) buildWeights();
    for (const name of ["discount", "query_discount"]) fillOptions(byId(name), data.discounts.map((formula) => [formula.name, `${formula.name}: ${formula.meaning}`]));
    for (const name of ["duplicates", "ideal", "hold"]) fillOptions(byId(name), Object.entries(data.answers[name]));
    for (const name of SETTINGS) listen(byId(name), (control) => { set[name] = control.value; show(); });
    fillOptions(byId("by"), [["", "all together"], ...data.columns.filter((column) => column.groups).map(({ name }) => [name, name])]);
    listen(byId("by"), (control) => { set.by = control.value === "" ? null : control.value; pair = [null, null]; });
    buildFilters();
    Object.assign(byId("min-queries"), { min: limits.minQueries[0], max: limits.minQueries[1] });
    listen(byId("min-queries"), (control) => { const value = readNumber(control, [fewestQueries, Infinity], true); if (value === null) return false; set.minQueries = value; });
    ["compare", "other"].forEach((id, n) => listen(byId(id), (control) => { pair[n] = control.value === "" ? null : Number(control.value); }));
    listen(byId("single"), () => {});
    listen(byId("session"), (control) => { selected = chosen = Number(control.value); });
    byId("reset").addEventListener("click", (event) => { event.preventDefault(); reset(); show(); schedule(); });
    byId("controls").addEventListener("submit", (event) => event.preventDefault());
    byId("copy").addEventListener("click", copy);
  }

  function buildWeights() {
    byId("weights").replaceChildren(...data.grades.labels.map((grade, code) => {
      const slider = makeElement("input", { type: "range", id: `weight-${code}`, min: 0, step: 0.5 });
      const exact = makeElement("input", { type: "number", id: `weight-${code}-number`, step: "any", "aria-label": `weight of ${data.grades.noun} ${grade}, exactly` });
      for (const input of [slider, exact]) {
        listen(input, (control) => {
          const value = readNumber(control, limits.weight);
          if (value === null) return false;
          set.weights[code] = value;
          show();
        });
      }
      return makeElement("div", { class: "weight" }, makeElement("label", { for: slider.id }, Session.makeChip(data, code), makeElement("span", { class: "visually-hidden" }, `weight of ${data.grades.noun} ${grade}`)), slider, exact);
    }));
  }

  function buildFilters() {
    byId("filters").replaceChildren(...data.columns.map((column, n) => {
      const select = makeElement("select", { id: `where-${n}` });
      fillOptions(select, [["", "all"], ...column.values.map((value, code) => [code, value]).filter(([code]) => column.where[code])]);
      listen(select, () => { if (select.value === "") delete set.where[column.name]; else set.where[column.name] = Number(select.value); });
      return makeElement("div", { class: "control" }, makeElement("label", { for: select.id }, userText(column.name, {}, 30)), select);
    }));
  }

  async function copy() {
    let done = true;
    try {
      await navigator.clipboard.writeText(byId("command").textContent);
    } catch { // a page from disk may not be let: the selection can be copied all the same
      getSelection().selectAllChildren(byId("command"));
      done = document.execCommand("copy");
    }
    byId("copy").textContent = done ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { byId("copy").textContent = "Copy"; }, 1500);
  }

  reset();
  readAddress();
  buildControls();
  show();
  pending = update();
  // What is drawn can be asked for, once it is: await explored.ready(); explored.rows.curves
  window.explored = { rows, ready: () => pending, verdict: () => ({ ...verdict, crossings: survey?.crossings }) };
  new ResizeObserver(() => document.documentElement.style.setProperty("--top", `${byId("verdict").offsetHeight}px`)).observe(byId("verdict"));
  window.addEventListener("hashchange", () => { if (readAddress()) { show(); schedule(); } });
  let width = window.innerWidth;
  // Paper has a width of its own.
  const redraw = () => { width = 0; schedule(); };
  window.matchMedia("print").addEventListener("change", redraw);
  window.addEventListener("beforeprint", redraw);
  window.addEventListener("resize", () => { if (window.innerWidth !== width) { width = window.innerWidth; schedule(); } });
})();
