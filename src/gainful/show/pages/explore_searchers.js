"use strict";
// Who leads for which searcher: means at any b and bq, the interval of a difference, the map of leaders.
// The page and its worker run the same code.
const Searchers = (() => {
  const LEVELS = [0.025, 0.975], POINTS = 20, STEPS = 8, FEW = 10; // units, of fewer of which nothing is sure

  // The gains of the chosen sessions, laid out so that another b or bq costs little.
  function layOut(study, set) {
    const sessions = Curves.selectSessions(study, set), codes = set.by === null ? null : study.columns.get(set.by).code;
    const codesThere = codes ? [...new Set(sessions.map((s) => codes[s]))].sort((a, b) => a - b) : [0];
    const group = Int32Array.from(sessions, (s) => (codes ? codesThere.indexOf(codes[s]) : 0));
    const own = Int32Array.from(sessions, (s) => study.first[s + 1] - study.first[s]);
    const longest = codesThere.map((_, g) => own.reduce((most, length, at) => (group[at] === g ? Math.max(most, length) : most), 0));
    const lengths = set.hold === "growing" ? own.map((_, at) => longest[group[at]]) : own;
    const gains = { gain: [], rank: [], query: [] }, queries = { session: [], position: [] };
    sessions.forEach((s, at) => {
      for (let q = study.first[s], n = 0; q < study.first[s + 1]; q++, n++) {
        const many = gains.gain.length;
        for (let r = study.begin[q], i = 0; r < study.begin[q + 1] && i < set.x; r++, i++) {
          const gain = Curves.resultGain(study, set, r, i + 1);
          if (gain !== 0) { gains.gain.push(gain); gains.rank.push(i); gains.query.push(queries.session.length); }
        }
        if (gains.gain.length > many) { queries.session.push(at); queries.position.push(n); }
      }
    });
    const gain = Float64Array.from(gains.gain), rank = Int32Array.from(gains.rank), query = Int32Array.from(gains.query);
    const session = Int32Array.from(queries.session), position = Int32Array.from(queries.position);
    const dcg = new Float64Array(session.length), values = new Float64Array(sessions.length);
    const findIdeals = set.normalised ? prepareIdeals(study, set, sessions, lengths) : null;
    let lastB = null;
    // What each session counts for in the mean of its group; the same array every time.
    function valuesAt(b, bq) {
      const factors = Curves.discountFactors(study, { ...set, b, bq });
      if (b !== lastB) { dcg.fill(0); for (let r = 0; r < gain.length; r++) dcg[query[r]] += gain[r] * factors.rank[rank[r]]; }
      lastB = b;
      values.fill(0);
      for (let q = 0; q < session.length; q++) values[session[q]] += dcg[q] * factors.query[position[q]];
      if (findIdeals) {
        const idealOf = findIdeals(factors);
        for (let at = 0; at < values.length; at++) values[at] = Curves.ratio(values[at], idealOf(at), study.empty);
      }
      return values;
    }
    const unit = Int32Array.from(sessions, (s) => study.units.of[s]);
    return { sessions, codes: codesThere, group, unit, units: study.units, valuesAt };
  }

  // What an ideal session gains in all, for each of these sessions.
  function prepareIdeals(study, set, sessions, lengths) {
    const { of, kinds } = set.duplicates === "judged" ? study.ownPools : study.pools;
    const kind = Curves.idealKind(set), x = set.x, repeats = kind === "repeated";
    const best = kinds.map((pool) => Curves.bestGains(pool, set.weights, repeats ? x : study.longest * x));
    const base = Int32Array.from(sessions, (s) => of[study.first[s]]);
    const hasOneBase = sessions.map((s, at) => of.subarray(study.first[s], study.first[s + 1]).every((other) => other === base[at]));
    const sumRepeats = (factors) => {
      const dcg = best.map((gains) => gains.reduce((sum, gain, i) => sum + gain * factors.rank[i], 0));
      const until = [0];
      for (const factor of factors.query) until.push(until[until.length - 1] + factor);
      return (at) => {
        if (hasOneBase[at]) return base[at] < 0 ? 0 : dcg[base[at]] * until[lengths[at]];
        const begin = study.first[sessions[at]], last = study.first[sessions[at] + 1] - 1;
        let sum = 0;
        for (let q = 0; q < lengths[at]; q++) sum += (dcg[of[Math.min(begin + q, last)]] ?? 0) * factors.query[q];
        return sum;
      };
    };
    const sumSlots = (factors) => {
      const slotsOf = [], sums = new Map();
      return (at) => {
        if (base[at] < 0) return 0;
        const length = lengths[at], key = base[at] * (study.longest + 1) + length;
        if (!sums.has(key)) {
          slotsOf[length] ??= Float64Array.from({ length: length * x }, (_, place) => factors.rank[place % x] * factors.query[Math.floor(place / x)]);
          if (kind === "best_slots" && !slotsOf[length].sorted) { slotsOf[length].sort().reverse(); slotsOf[length].sorted = true; }
          const slots = slotsOf[length], gains = best[base[at]];
          let sum = 0;
          for (let n = 0; n < gains.length && n < slots.length; n++) sum += gains[n] * slots[n];
          sums.set(key, sum);
        }
        return sums.get(key);
      };
    };
    return repeats ? sumRepeats : sumSlots;
  }

  // ── means, and how sure they are ──
  function findMeans(layout, values) {
    const sums = new Float64Array(layout.codes.length), counts = new Float64Array(layout.codes.length);
    for (let at = 0; at < values.length; at++) if (!Number.isNaN(values[at])) { sums[layout.group[at]] += values[at]; counts[layout.group[at]]++; }
    return sums.map((sum, g) => (counts[g] ? sum / counts[g] : NaN));
  }

  // What the units (searchers with all their sessions) of a group add up to.
  function sumUnits(layout, values, group) {
    const sums = new Float64Array(layout.units.number), counts = new Float64Array(layout.units.number);
    for (let at = 0; at < values.length; at++) if (layout.group[at] === group && !Number.isNaN(values[at])) { sums[layout.unit[at]] += values[at]; counts[layout.unit[at]]++; }
    const total = counts.reduce((sum, count) => sum + count, 0);
    return { sums, counts, total, mean: sums.reduce((sum, value) => sum + value, 0) / total, number: counts.reduce((many, count) => many + (count > 0), 0) };
  }

  // How far a mean, or the difference of two, would vary with other units of the same kind.
  function standardError(one, other) {
    let squares = 0, number = 0;
    for (let u = 0; u < one.sums.length; u++) {
      if (!one.counts[u] && !other?.counts[u]) continue;
      number++;
      squares += ((one.sums[u] - one.mean * one.counts[u]) / one.total - (other ? (other.sums[u] - other.mean * other.counts[u]) / other.total : 0)) ** 2;
    }
    return number > 1 ? Math.sqrt((squares * number) / (number - 1)) : NaN;
  }

  // The 95 % interval by drawing units again, as often as the page says: of a mean, or of the difference of two. Null of fewer than two units.
  function findInterval(layout, one, other) {
    if (one.number < 2 || (other && other.number < 2)) return null;
    const { number, weights } = layout.units, resamples = weights.length / number, drawn = [];
    for (let r = 0, w = 0; r < resamples; r++) {
      let sum = 0, count = 0, otherSum = 0, otherCount = 0;
      for (let u = 0; u < number; u++, w++) {
        const weight = weights[w];
        if (!weight) continue;
        sum += weight * one.sums[u]; count += weight * one.counts[u];
        if (other) { otherSum += weight * other.sums[u]; otherCount += weight * other.counts[u]; }
      }
      if (count && (!other || otherCount)) drawn.push(sum / count - (other ? otherSum / otherCount : 0));
    }
    const sorted = Float64Array.from(drawn).sort();
    return LEVELS.map((level) => {
      const at = level * (sorted.length - 1), low = Math.floor(at);
      return sorted[low] + (at - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
    });
  }

  // The verdict for one searcher: means of all groups, the two that are compared, and the interval of their difference.
  function judge(layout, set, wanted) {
    const values = layout.valuesAt(set.b, set.bq), means = findMeans(layout, values);
    const order = layout.codes.map((_, g) => g).filter((g) => !Number.isNaN(means[g])).sort((a, b) => means[b] - means[a] || a - b);
    const asked = wanted.map((code) => (code === null ? -1 : layout.codes.indexOf(code)));
    const first = order.includes(asked[0]) ? asked[0] : order.find((g) => g !== asked[1]), second = order.includes(asked[1]) && asked[1] !== first ? asked[1] : order.find((g) => g !== first);
    const [leader, other] = second === undefined || means[first] >= means[second] ? [first, second] : [second, first];
    const units = [leader, other].map((g) => (g === undefined ? null : sumUnits(layout, values, g)));
    const interval = leader === undefined ? null : findInterval(layout, units[0], units[1]);
    const ahead = other === undefined ? null : means[leader] - means[other], error = leader === undefined ? NaN : standardError(units[0], units[1]);
    const ties = ahead !== null && !(ahead > 1e-12 * Math.max(Math.abs(means[leader]), 1e-12));
    const few = units.some((one) => one && one.number < FEW), reach = few ? Infinity : interval && error > 0 ? (ahead - interval[0]) / error : 1.96;
    return { means: [...means], leader, other, ahead, ties, interval, few, isSure: !ties && !few && interval !== null && interval[0] > 0, reach };
  }

  // ── the map ──
  const spread = ([low, high], points) => Array.from({ length: points }, (_, n) => (n === points - 1 ? high : low * (high / low) ** (n / (points - 1))));

  // Who leads at each b and bq of the grid: by group how far it is ahead of the best other, and how far beyond chance.
  function mapLeaders(layout, ranges, reach) {
    const b = spread(ranges.b, POINTS), bq = spread(ranges.bq, POINTS), groups = layout.codes.length, cells = POINTS * POINTS;
    const leads = layout.codes.map(() => new Float64Array(cells)), sure = layout.codes.map(() => new Float64Array(cells).fill(-1));
    b.forEach((base, i) => bq.forEach((queryBase, j) => {
      const values = layout.valuesAt(base, queryBase), means = findMeans(layout, values), cell = i * POINTS + j;
      const order = [...means.keys()].sort((a, c) => (Number.isNaN(means[a]) ? -Infinity : means[c]) - (Number.isNaN(means[c]) ? -Infinity : means[a]));
      const [first, second] = order;
      for (let g = 0; g < groups; g++) leads[g][cell] = Number.isNaN(means[g]) ? -1 : means[g] - means[g === first ? second : first];
      const error = standardError(sumUnits(layout, values, first), sumUnits(layout, values, second));
      for (let g = 0; g < groups; g++) sure[g][cell] = Number.isFinite(reach * error) ? leads[g][cell] - reach * error : -1;
    }));
    return { b, bq, leads, sure };
  }

  // Where the lead between two groups changes, along b or bq, nearest to the searcher; null where it does not.
  function findCrossing(layout, set, range, along, leader, other) {
    const ahead = (base) => { const means = findMeans(layout, layout.valuesAt(along === "b" ? base : set.b, along === "b" ? set.bq : base)); return means[leader] - means[other]; };
    const bases = spread(range, POINTS), leads = bases.map(ahead), distance = (base) => Math.abs(Math.log(base / set[along]));
    let nearest = null;
    for (let n = 0; n + 1 < POINTS; n++) {
      if (leads[n] > 0 === leads[n + 1] > 0) continue;
      let [low, high] = [Math.log(bases[n]), Math.log(bases[n + 1])], [atLow, atHigh] = [leads[n], leads[n + 1]];
      for (let step = 0; step < STEPS && atLow !== atHigh; step++) { // false position, halved where one end stays
        const middle = low + (high - low) * Math.min(Math.max(atLow / (atLow - atHigh), 0.02), 0.98), atMiddle = ahead(Math.exp(middle));
        if (atMiddle > 0 === atLow > 0) { [low, atLow] = [middle, atMiddle]; atHigh /= 2; } else { [high, atHigh] = [middle, atMiddle]; atLow /= 2; }
      }
      const base = Math.exp((low + high) / 2);
      if (nearest === null || distance(base) < distance(nearest)) nearest = base;
    }
    return nearest;
  }

  // All that takes longer: the map, and where the lead changes.
  function survey(study, set, ranges, wanted) {
    const layout = layOut(study, set), verdict = judge(layout, set, wanted);
    if (verdict.other === undefined) return null;
    const based = { b: study.discounts.get(set.discount).based, bq: study.discounts.get(set.query_discount).based }, crossings = {};
    for (const along of ["b", "bq"]) crossings[along] = based[along] ? findCrossing(layout, set, ranges[along], along, verdict.leader, verdict.other) : null;
    return { codes: layout.codes, crossings, ...mapLeaders(layout, ranges, verdict.reach) };
  }

  // Surveys in a worker, one at a time: of many questions only the last waits. Without workers the page computes itself.
  function makeSurveyor(data, study, code) {
    let worker = null, busy = false, next = null;
    try {
      worker = new Worker(URL.createObjectURL(new Blob([code, "let study;onmessage=({data:m})=>{if(m.data){study=Curves.prepareStudy(m.data);return;}postMessage(Searchers.survey(study,m.set,m.ranges,m.wanted));};"], { type: "text/javascript" })));
      const { look, ...plain } = data;
      worker.postMessage({ data: plain });
    } catch { worker = null; }
    const send = (question) => {
      busy = true;
      const finish = (answer) => { busy = false; question.done(next ? undefined : answer); if (next) { const waiting = next; next = null; send(waiting); } };
      if (!worker) { setTimeout(() => finish(survey(study, question.set, question.ranges, question.wanted)), 0); return; }
      worker.onmessage = ({ data: answer }) => finish(answer);
      worker.onerror = (event) => { event.preventDefault(); worker = null; send(question); };
      worker.postMessage({ set: question.set, ranges: question.ranges, wanted: question.wanted });
    };
    // The survey of a setting; undefined where another was asked for before it was done.
    return (set, ranges, wanted) => new Promise((done) => {
      const question = { set: structuredClone(set), ranges, wanted, done };
      if (!busy) { send(question); return; }
      next?.done(undefined);
      next = question;
    });
  }

  return { layOut, judge, survey, makeSurveyor, standardError };
})();
