"use strict";
// What is computed, said in three ways: in gainful's own language, as a formula, in words.
const Words = (data, study, set) => {
  const { element } = Session, start = data.start;
  const fewest = study.asked.reduce((least, asked) => Math.min(least, asked), Infinity);
  const discount = (name) => study.discounts.get(set[name]);
  const weightsAre = (gain) => gain.weights.every((weight, code) => weight === set.weights[code]);

  // The measure in gainful's own language: what is as usual is left out, but for b and bq.
  function measure() {
    const told = [], usual = data.usual, gain = data.gains.find(weightsAre);
    const spelled = gain ? gain.spelled : { gain: `{${data.grades.told.map((grade, code) => `${grade}:${set.weights[code]}`).join(",")}}` };
    if (spelled.gain !== usual.gain) for (const [name, value] of Object.entries(spelled)) told.push(`${name}=${value}`);
    for (const [name, base] of [["discount", "b"], ["query_discount", "bq"]]) {
      if (set[name] !== usual[name]) told.push(`${name}=${set[name]}`);
      if (discount(name).based) told.push(`${base}=${set[base]}`);
    }
    for (const name of ["duplicates", ...(set.normalised ? ["ideal", "hold"] : [])]) if (set[name] !== usual[name]) told.push(`${name}=${set[name]}`);
    for (const name of ["negative", ...(set.normalised ? ["empty"] : [])]) if (start[name] !== usual[name]) told.push(`${name}=${start[name]}`);
    return `${set.normalised ? "nsDCG" : "sDCG"}${told.length ? `(${told.join(", ")})` : ""}@${set.x}`;
  }

  const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
  function command() {
    const words = ["gainful", "sessions", ...data.command, "-m", measure()];
    for (const [name, code] of Object.entries(set.where)) words.push("--where", `${name}=${study.columns.get(name).values[code]}`);
    if (set.least > fewest) words.push("--min-queries", String(set.least));
    if (start.unjudged !== "auto") words.push("--unjudged", start.unjudged);
    if (set.by !== null) words.push("--by", set.by);
    return words.map(quoted).join(" ");
  }

  const parsed = (text) => document.importNode(new DOMParser().parseFromString(`<mrow xmlns="http://www.w3.org/1998/Math/MathML">${text}</mrow>`, "text/xml").documentElement, true);
  const part = (name, ...children) => {
    const made = document.createElementNS("http://www.w3.org/1998/Math/MathML", name);
    made.append(...children);
    return made;
  };
  function formula() {
    const sum = (letter, end) => part("munderover", part("mo", "∑"), part("mrow", part("mi", letter), part("mo", "="), part("mn", "1")), end);
    const filled = (text) => {
      const made = parsed(text);
      for (const one of made.querySelectorAll("[data-param]")) one.replaceWith(part("mn", String(+set[one.dataset?.param ?? one.getAttribute("data-param")].toPrecision(6))));
      return made;
    };
    const gain = part("mrow", part("mi", "gain"), part("mo", "("), part("msub", part("mi", "g"), part("mrow", part("mi", "q"), part("mi", "i"))), part("mo", ")"));
    const total = part("mrow", sum("q", part("mi", "Q")), filled(discount("query_discount").querySet), sum("i", part("mn", String(set.x))), filled(discount("discount").rankSet), part("mo", "·"), gain);
    const own = part("mrow", part("mi", "sDCG"), part("mo", "="), total);
    const share = part("mrow", part("mi", "nsDCG"), part("mo", "="), part("mfrac", part("mi", "sDCG"), part("mrow", part("mi", "sDCG"), part("mtext", "\u00a0of the ideal session"))));
    document.getElementById("formula").replaceChildren(...[own, ...(set.normalised ? [share] : [])].map((row) => {
      const math = part("math", row);
      math.setAttribute("display", "block");
      return math;
    }));
  }

  function told() {
    document.getElementById("measure").textContent = measure();
    document.getElementById("command").textContent = command();
    formula();
    const worth = data.grades.told.slice(0, 12).map((grade, code) => `grade ${grade}: ${+set.weights[code].toPrecision(6)}`).join(" · ");
    const labels = Object.fromEntries([...document.querySelectorAll("#controls .control label[for]")].map((label) => [label.htmlFor, label.textContent]));
    const kind = Curves.kindOfIdeal(set), facts = [
      ["What is a document worth?", worth + (data.grades.told.length > 12 ? " · …" : "")],
      ["What is left of that at rank i?", `${set.discount}${discount("discount").based ? `, b = ${set.b}` : ""}: ${discount("discount").meaning}`],
      ["What is left of a query's gain at position q?", `${set.query_discount}${discount("query_discount").based ? `, bq = ${set.bq}` : ""}: as the rank discount, with q for i and bq for b`],
      ["How deep does a searcher look?", `at the first ${set.x} results of every query`],
      [labels.duplicates, data.answers.duplicates[set.duplicates]],
    ];
    if (set.normalised) facts.push([labels.ideal, `${data.answers.ideal[kind] ?? kind}${set.ideal === "paired" ? ": the one that fits how duplicates earn" : ""}`], [labels.hold, data.answers.hold[set.hold]], ["What has a session with nothing to find?", start.empty === "skip" ? "no value: it is left out" : `the value ${start.empty}`]);
    const again = set.duplicates !== "first" && kind !== "repeated", elsewhere = set.duplicates === "first" && kind === "once";
    if (set.normalised && (again || elsewhere)) facts.push(["Can the value pass 1?", "yes: this ideal does not bound what documents earn"]);
    document.getElementById("words").replaceChildren(...facts.flatMap(([question, answer]) => [element("dt", question), element("dd", answer)]));
  }

  return { told, discount, weightsAre, fewest };
};
