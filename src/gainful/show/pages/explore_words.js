"use strict";
// What is computed, said in three ways: in gainful's own language, as a formula, in words.
const Words = (data, study, set) => {
  const { makeElement } = Session, start = data.start;
  const fewestQueries = study.allQueries.reduce((least, count) => Math.min(least, count), Infinity);
  const discount = (name) => study.discounts.get(set[name]);
  const hasWeights = (gain) => gain.weights.every((weight, code) => weight === set.weights[code]);

  // The measure in gainful's own language: what is as usual is left out, but for b and bq.
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

  const parseMathml = (text) => document.importNode(new DOMParser().parseFromString(`<mrow xmlns="http://www.w3.org/1998/Math/MathML">${text}</mrow>`, "text/xml").documentElement, true);
  const mathElement = (name, ...children) => {
    const node = document.createElementNS("http://www.w3.org/1998/Math/MathML", name);
    node.append(...children);
    return node;
  };
  function drawFormula() {
    const sum = (letter, end) => mathElement("munderover", mathElement("mo", "∑"), mathElement("mrow", mathElement("mi", letter), mathElement("mo", "="), mathElement("mn", "1")), end);
    const fillParameters = (text) => {
      const node = parseMathml(text);
      for (const param of node.querySelectorAll("[data-param]")) param.replaceWith(mathElement("mn", String(+set[param.dataset?.param ?? param.getAttribute("data-param")].toPrecision(6))));
      return node;
    };
    const gain = mathElement("mrow", mathElement("mi", "gain"), mathElement("mo", "("), mathElement("msub", mathElement("mi", "g"), mathElement("mrow", mathElement("mi", "q"), mathElement("mi", "i"))), mathElement("mo", ")"));
    const total = mathElement("mrow", sum("q", mathElement("mi", "Q")), fillParameters(discount("query_discount").querySet), sum("i", mathElement("mn", String(set.x))), fillParameters(discount("discount").rankSet), mathElement("mo", "·"), gain);
    const own = mathElement("mrow", mathElement("mi", "sDCG"), mathElement("mo", "="), total);
    const share = mathElement("mrow", mathElement("mi", "nsDCG"), mathElement("mo", "="), mathElement("mfrac", mathElement("mi", "sDCG"), mathElement("mrow", mathElement("mi", "sDCG"), mathElement("mtext", "\u00a0of the ideal session"))));
    document.getElementById("formula").replaceChildren(...[own, ...(set.normalised ? [share] : [])].map((row) => {
      const math = mathElement("math", row);
      math.setAttribute("display", "block");
      return math;
    }));
  }

  function describe() {
    document.getElementById("measure").textContent = writeMeasure();
    document.getElementById("command").textContent = writeCommand();
    drawFormula();
    const weights = data.grades.labels.slice(0, 12).map((grade, code) => `grade ${grade}: ${+set.weights[code].toPrecision(6)}`).join(" · ");
    const labels = Object.fromEntries([...document.querySelectorAll("#controls .control label[for]")].map((label) => [label.htmlFor, label.textContent]));
    const kind = Curves.idealKind(set), facts = [
      ["What is a document worth?", weights + (data.grades.labels.length > 12 ? " · …" : "")],
      ["What is left of that at rank i?", `${set.discount}${discount("discount").based ? `, b = ${set.b}` : ""}: ${discount("discount").meaning}`],
      ["What is left of a query's gain at position q?", `${set.query_discount}${discount("query_discount").based ? `, bq = ${set.bq}` : ""}: as the rank discount, with q for i and bq for b`],
      ["How deep does a searcher look?", `at the first ${set.x} results of every query`],
      [labels.duplicates, data.answers.duplicates[set.duplicates]],
    ];
    if (set.normalised) facts.push([labels.ideal, `${data.answers.ideal[kind] ?? kind}${set.ideal === "paired" ? ": the one that fits how duplicates earn" : ""}`], [labels.hold, data.answers.hold[set.hold]], ["What has a session with nothing to find?", start.empty === "skip" ? "no value: it is left out" : `the value ${start.empty}`]);
    const countsAgain = set.duplicates !== "first" && kind !== "repeated", ordersDiffer = set.duplicates === "first" && kind === "once";
    if (set.normalised && (countsAgain || ordersDiffer)) facts.push(["Can the value pass 1?", "yes: this ideal does not bound what documents earn"]);
    document.getElementById("words").replaceChildren(...facts.flatMap(([question, answer]) => [makeElement("dt", question), makeElement("dd", answer)]));
  }

  return { describe, discount, hasWeights, fewestQueries };
};
