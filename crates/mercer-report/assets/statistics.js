// Statistics computed from predictions in the page: confusion matrix, curves, calibration, histograms.

/** Counts of truth (row) and prediction (column) among `k` classes. */
function confusion(truth, predicted, k) {
  const counts = Array.from({ length: k }, () => new Array(k).fill(0));
  truth.forEach((t, at) => {
    const p = predicted[at];
    if (counts[t]?.[p] !== undefined) counts[t][p] += 1;
  });
  return counts;
}

/** Objects by decreasing score, with ties together: cumulative counts of positives and negatives. */
function sweep(scores, positive) {
  const order = scores.map((value, at) => [value, positive[at]]).filter(([value]) => isNumber(value));
  order.sort((a, b) => b[0] - a[0]);
  const steps = [{ tp: 0, fp: 0, at: Infinity }];
  let tp = 0;
  let fp = 0;
  order.forEach(([value, is], at) => {
    if (is) tp += 1;
    else fp += 1;
    if (at + 1 === order.length || order[at + 1][0] !== value) steps.push({ tp, fp, at: value });
  });
  return { steps, positives: tp, negatives: fp };
}

/** The ROC curve [false positive rate, true positive rate, threshold] and the area under it; ties count one half. */
function roc(scores, positive) {
  const { steps, positives, negatives } = sweep(scores, positive);
  if (!positives || !negatives) return null;
  const points = steps.map((s) => [s.fp / negatives, s.tp / positives, s.at]);
  let area = 0;
  for (let i = 1; i < points.length; i += 1)
    area += ((points[i][0] - points[i - 1][0]) * (points[i][1] + points[i - 1][1])) / 2;
  return { points, area };
}

/** The precision–recall curve [recall, precision, threshold] and the average precision Σ (R_i - R_(i-1)) P_i. */
function precisionRecall(scores, positive) {
  const { steps, positives, negatives } = sweep(scores, positive);
  if (!positives) return null;
  // Steps without a further positive would only draw a saw-tooth; neither the curve nor the sum needs them.
  const useful = steps.filter((s, i) => i > 0 && s.tp > steps[i - 1].tp);
  const points = useful.map((s) => [s.tp / positives, s.tp / (s.tp + s.fp), s.at]);
  let area = 0;
  points.forEach((point, i) => {
    area += (point[0] - (i ? points[i - 1][0] : 0)) * point[1];
  });
  if (points.length) points.unshift([0, points[0][1], points[0][2]]);
  return { points, area, share: positives / (positives + negatives) };
}

/** At most about `most` points of a curve: first, points on a line between their neighbours are dropped. */
function thin(points, most = 400) {
  const corners = points.filter((p, i) => {
    if (i === 0 || i + 1 === points.length) return true;
    const [a, b] = [points[i - 1], points[i + 1]];
    return Math.abs((p[0] - a[0]) * (b[1] - a[1]) - (p[1] - a[1]) * (b[0] - a[0])) > 1e-12;
  });
  const step = Math.ceil(corners.length / most);
  return step <= 1 ? corners : corners.filter((_, i) => i % step === 0 || i + 1 === corners.length);
}

/** Wilson's 95 % interval of a proportion. */
function wilson(successes, n) {
  const z = 1.959964;
  const p = successes / n;
  const middle = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))) / (1 + (z * z) / n);
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** Bins of equal count: mean probability, observed frequency, Wilson's interval of that frequency. */
function calibration(probabilities, happened, bins = 10) {
  const order = probabilities.map((p, at) => [p, happened[at] ? 1 : 0]).filter(([p]) => isNumber(p));
  order.sort((a, b) => a[0] - b[0]);
  const n = order.length;
  const used = Math.min(bins, n);
  return Array.from({ length: used }, (_, b) => {
    const part = order.slice(Math.floor((b * n) / used), Math.floor(((b + 1) * n) / used));
    const hits = part.reduce((sum, [, h]) => sum + h, 0);
    const mean = part.reduce((sum, [p]) => sum + p, 0) / part.length;
    return {
      mean,
      share: hits / part.length,
      n: part.length,
      from: part[0][0],
      to: part[part.length - 1][0],
      ...wilson(hits, part.length),
    };
  });
}

/** A histogram with round bin edges, about √n bars, at most 40. */
function histogram(values) {
  const range = extent(values);
  if (!range) return [];
  const [low, high] = range;
  const wanted = Math.max(5, Math.min(40, Math.round(Math.sqrt(values.length) * 1.5)));
  const rough = (high - low || Math.abs(high) || 1) / wanted;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * unit).find((s) => s >= rough) ?? rough;
  const start = Math.floor(low / step);
  const bars = Array.from({ length: Math.max(1, Math.floor(high / step) - start + 1) }, (_, at) => ({
    from: (start + at) * step,
    to: (start + at + 1) * step,
    n: 0,
  }));
  for (const value of values)
    if (isNumber(value)) bars[Math.min(bars.length - 1, Math.max(0, Math.floor(value / step) - start))].n += 1;
  return bars;
}

/** The predictions of each object over all splits in which it was tested. */
function byObject(predictions) {
  const found = new Map();
  list(predictions.objects).forEach((object, at) => {
    if (!found.has(object)) found.set(object, []);
    found.get(object).push(at);
  });
  return found;
}

/** The name of the object of prediction number `at`. */
function objectName(predictions, at) {
  const id = predictions.ids?.[at];
  return id === null || id === undefined ? `object ${predictions.objects?.[at] ?? at}` : String(id);
}

const mean = (values) => {
  const usable = values.filter(isNumber);
  return usable.length ? usable.reduce((a, b) => a + b, 0) / usable.length : null;
};
