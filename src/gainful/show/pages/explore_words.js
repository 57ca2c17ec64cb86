"use strict";
// What is computed, in words: the verdict, gainful's own language, the formula, the settings one by one.
const Words = (data, study, set) => {
  const { makeElement, byId, shorten, isolate, capitalise } = Elements, start = data.start;
  const fewestQueries = study.allQueries.reduce((least, count) => Math.min(least, count), Infinity);
  const discount = (name) => study.discounts.get(set[name]);
  const hasWeights = (gain) => gain.weights.every((weight, code) => weight === set.weights[code]);
  const measured = data.measured, ends = { b: data.bases.b.typical, bq: data.bases.bq.typical };
  const presets = {
    impatient: { b: ends.b[0], bq: ends.bq[0] },
    typical: { b: data.bases.b.default, bq: data.bases.bq.default },
    patient: { b: ends.b[1], bq: ends.bq[1] },
    ...(measured ? { calibrated: { b: +(measured.b?.value ?? start.b).toPrecision(4), bq: +(measured.bq?.value ?? start.bq).toPrecision(4) } } : {}),
  };
  const findPreset = () => Object.keys(presets).find((name) => presets[name].b === set.b && presets[name].bq === set.bq);

  // ── the verdict ──
  const formatShort = (value) => `${value < 0 ? "−" : ""}${Math.abs(value) < 10 ? Math.abs(value).toFixed(3) : +Math.abs(value).toPrecision(4)}`;
  const writeBase = (name, value, digits) => `${name}\u00a0=\u00a0${+value.toPrecision(digits)}`;
  function describeSearcher() {
    const bases = [["b", "discount"], ["bq", "query_discount"]].filter(([, name]) => discount(name).based).map(([base]) => base);
    if (!bases.length) return "With these discounts";
    const numbers = bases.map((base) => writeBase(base, set[base], 4)).join(", "), preset = findPreset();
    if (preset && bases.length === 2) return `For ${preset === "impatient" ? "an" : preset === "calibrated" ? "the" : "a"} ${preset} searcher (${numbers})`;
    const traits = [];
    if (bases.includes("b") && (set.b >= 5 || set.b < 2)) traits.push(set.b >= 5 ? "reads far down" : "stops reading early");
    if (bases.includes("bq") && (set.bq >= 6 || set.bq < 2)) traits.push(set.bq >= 6 ? "asks many queries" : "asks few queries");
    return traits.length ? `For a searcher who ${traits.join(" and ")} (${numbers})` : `For a searcher with ${numbers.replace(", ", " and ")}`;
  }

  function describeInterval(verdict) {
    if (!verdict.interval) return " (too few sessions for an interval)";
    const range = `95\u00a0% interval ${verdict.interval.map(formatShort).join(" to ")}`;
    if (verdict.other === undefined || verdict.isSure) return ` (${range})`;
    return verdict.interval[0] > 0 ? `, from too few ${data.units.words.replace("whole ", "")} to be sure (${range})` : `, not significant (${range})`;
  }

  // Where the lead changes, by what the map found.
  function describeCrossings(verdict, survey, nameOf) {
    if (!survey) return "";
    const found = ["b", "bq"].filter((base) => survey.crossings[base] !== null).map((base) => writeBase(base, survey.crossings[base], 2));
    if (found.length) return ` The lead changes at ${found.join(" or ")}.`;
    const elsewhere = survey.codes.filter((code, g) => g !== verdict.leader && survey.leads[g].some((lead) => lead > 0)).map((code) => isolate(shorten(nameOf(code), 40)));
    return elsewhere.length ? ` Elsewhere on the map ${elsewhere.join(" or ")} leads.` : ` ${capitalise(isolate(shorten(nameOf(survey.codes[verdict.leader]), 40)))} leads everywhere on the map.`;
  }

  // The sentence on top: a start, what is to be seen first, and the rest.
  function writeVerdict(verdict, codes, survey, nameOf) {
    const value = set.normalised ? "share of the ideal" : "gain", who = `${describeSearcher()}, `;
    const name = (g) => isolate(shorten(nameOf(codes[g]), 60));
    if (verdict.leader === undefined) return [who, "there is no mean", ", because no session has a value."];
    if (verdict.other === undefined) return [who, `the mean ${value} is ${formatShort(verdict.means[verdict.leader])}`, `${describeInterval(verdict)}.`];
    if (verdict.ties) return [who, `${name(verdict.leader)} and ${name(verdict.other)} do not differ`, `: both have a mean ${value} of ${formatShort(verdict.means[verdict.leader])}.`];
    const whom = codes.length > 2 ? ` ${name(verdict.other)}` : "";
    return [who, `${name(verdict.leader)} leads${whom} by ${formatShort(verdict.ahead)}`, `${describeInterval(verdict)}.${describeCrossings(verdict, survey, nameOf)}`];
  }

  // ── the measure and the command ──
  // What is as usual is left out, but for b and bq.
  function writeMeasure() {
    const options = [], defaults = data.defaults, gain = data.gains.find(hasWeights);
    const spelling = gain ? gain.spelling : { gain: `{${data.grades.labels.map((grade, code) => `${grade}:${set.weights[code]}`).join(",")}}` };
    if (spelling.gain !== defaults.gain) for (const [name, value] of Object.entries(spelling)) options.push(`${name}=${value}`);
    for (const [name, base] of [["discount", "b"], ["query_discount", "bq"]]) {
      if (set[name] !== defaults[name]) options.push(`${name}=${set[name]}`);
      if (discount(name).based) options.push(`${base}=${set[base]}`);
    }
    for (const name of ["duplicates", ...(set.normalised ? ["ideal", "hold"] : [])]) if (set[name] !== defaults[name]) options.push(`${name}=${set[name]}`);
    for (const name of ["negative", ...(set.normalised ? ["empty"] : [])]) if (start[name] !== defaults[name]) options.push(`${name}=${start[name]}`);
    return `${set.normalised ? "nsDCG" : "sDCG"}${options.length ? `(${options.join(", ")})` : ""}@${set.x}`;
  }

  const quote = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
  function writeCommand() {
    const words = ["gainful", "sessions", ...data.command, "-m", writeMeasure()];
    for (const [name, code] of Object.entries(set.where)) words.push("--where", `${name}=${study.columns.get(name).values[code]}`);
    if (set.minQueries > fewestQueries) words.push("--min-queries", String(set.minQueries));
    if (start.unjudged !== "auto") words.push("--unjudged", start.unjudged);
    if (start.subtopic_grades !== "highest") words.push("--subtopic-grades", start.subtopic_grades);
    if (set.by !== null) words.push("--by", set.by);
    return words.map(quote).join(" ");
  }

  // ── the formula ──
  const parseMathml = (text) => document.importNode(new DOMParser().parseFromString(`<mrow xmlns="http://www.w3.org/1998/Math/MathML">${text}</mrow>`, "text/xml").documentElement, true);
  const math = (name, ...children) => {
    const node = document.createElementNS("http://www.w3.org/1998/Math/MathML", name);
    node.append(...children);
    return node;
  };
  const space = () => { const node = math("mspace"); node.setAttribute("width", "0.35em"); return node; };
  function drawFormula() {
    const sum = (letter, end) => math("munderover", math("mo", "∑"), math("mrow", math("mi", letter), math("mo", "="), math("mn", "1")), end);
    const fillParameters = (text) => {
      const node = parseMathml(text);
      for (const param of node.querySelectorAll("[data-param]")) param.replaceWith(math("mn", String(+set[param.getAttribute("data-param")].toPrecision(6))));
      return node;
    };
    const gain = math("mrow", math("mi", "gain"), math("mo", "("), math("msub", math("mi", "g"), math("mrow", math("mi", "q"), math("mi", "i"))), math("mo", ")"));
    const total = math("mrow", sum("q", math("mi", "Q")), fillParameters(discount("query_discount").querySet), space(), sum("i", math("mn", String(set.x))), fillParameters(discount("discount").rankSet), math("mo", "·"), gain);
    const rows = [math("mrow", math("mi", "sDCG"), math("mo", "="), total)];
    if (set.normalised) rows.push(math("mrow", math("mi", "nsDCG"), math("mo", "="), math("mfrac", math("mi", "sDCG"), math("mrow", math("mi", "sDCG"), math("mtext", "\u00a0of the ideal session")))));
    byId("formula").replaceChildren(...rows.map((row) => { const node = math("math", row); node.setAttribute("display", "block"); return node; }));
  }

  function describe() {
    byId("measure").textContent = writeMeasure();
    byId("command").textContent = writeCommand();
    drawFormula();
    const weights = data.grades.labels.slice(0, 12).map((grade, code) => `${data.grades.noun} ${grade}: ${+set.weights[code].toPrecision(6)}`).join(" · ");
    const labels = Object.fromEntries([...document.querySelectorAll("#controls .control label[for]")].map((label) => [label.htmlFor, label.textContent]));
    const kind = Curves.idealKind(set), facts = [
      ["What is the gain of a document?", weights + (data.grades.labels.length > 12 ? " · …" : "")],
      ["How is the gain discounted at rank i?", `${set.discount}${discount("discount").based ? `, b = ${set.b}` : ""}: ${discount("discount").meaning}`],
      ["How is a query's gain discounted at position q?", `${set.query_discount}${discount("query_discount").based ? `, bq = ${set.bq}` : ""}: like the rank discount, with q in place of i and bq in place of b`],
      ["How deep does a searcher look?", `at the first ${set.x} results of every query`],
      [labels.duplicates, data.answers.duplicates[set.duplicates]],
    ];
    if (set.normalised) facts.push([labels.ideal, `${data.answers.ideal[kind] ?? kind}${set.ideal === "paired" ? ": the one that matches how duplicates count" : ""}`], [labels.hold, data.answers.hold[set.hold]], ["What is the value of a session without relevant documents?", start.empty === "skip" ? "none: it is left out" : `${start.empty}`]);
    const countsAgain = set.duplicates !== "first" && kind !== "repeated", ordersDiffer = set.duplicates === "first" && kind === "once";
    if (set.normalised && (countsAgain || ordersDiffer)) facts.push(["Can the value exceed 1?", "yes: this ideal does not limit the gain of documents"]);
    byId("words").replaceChildren(...facts.flatMap(([question, answer]) => [makeElement("dt", {}, question), makeElement("dd", {}, answer)]));
  }

  return { describe, discount, hasWeights, fewestQueries, presets, findPreset, writeVerdict };
};
