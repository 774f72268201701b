// ---- what a page has that compares two sides: one of a single recording goes without ----
// What a weight of a side is compared as.
const sideText = (w, side) => head.by === 'time' ? `${weightText(w / (seconds(side) || 1))} a second` : head.by === 'count' ? weightText(w) : percent(w, shown.per[side]);
function sideWords(l, node) {
	const weights = l.total.map(w => w[node]);
	return `${sideText(weights[0], 0)} before, ${sideText(weights[1], 1)} after${head.by === 'count' ? '' : ` (${weightText(weights[0])} to ${weightWords(weights[1])})`}${!weights[1] ? '; only before' : !weights[0] ? '; only after' : ''}`;
}
// What was judged of a box: of the frame, where the picture has those that were judged; else of its function, in a
// picture of innermost frames of that by itself.  Undefined: there are no runs to judge by, or it is too light.
const isWhole = l => l.forest === whole_ && !shown.pass;
function judgedFunction(l, node) {
	const f = l.forest;
	while (l === flame && S.reverse && f.parent[node] > 0) node = f.parent[node];
	return f.func[node];
}
function judgedAt(l, node) {
	if (isWhole(l) || (l === flame && !node)) return JUDGED[0].get(node);
	return JUDGED[l === flame && S.reverse ? 1 : 2].get(judgedFunction(l, node));
}
const signed = (x, digits) => `${x > 0 ? '+' : x < 0 ? '−' : ''}${Math.abs(100 * x).toFixed(digits)}`;
const changeText = x => x > 10 ? `${count(x + 1)} times` : `${signed(x, 1)}${BLANK}%`;
const intervalText = j => `${changeText(j.low)} to ${changeText(j.high)}`;
const verdictText = j => j ? j.verdict : 'too light to be judged';
const judgementWords = (j, both) => j && both ? `${changeText(j.change)} (${intervalText(j)}), ${j.verdict}` : verdictText(j);
// Of a box of which something is judged.
function judgedWords(l, node) {
	if (!JUDGED || (!node && l === flame && head.by === 'shares')) return '';
	// a change from nothing, or to it, has no per cent
	const words = judgementWords(judgedAt(l, node), l.total.every(w => w[node] > 0));
	return isWhole(l) || (l === flame && !node) ? words : `${nameOf(judgedFunction(l, node))} ${l === flame && S.reverse ? 'by itself' : 'as a whole'}: ${words}`;
}
const comparedLines = (l, node) => [sideWords(l, node), judgedWords(l, node)].filter(Boolean);

// ---- colours ----
function changeColour(a, b, total, per) {
	const same = tone(head.changes[0]), before = per[0] ? a / per[0] : 0, after = per[1] ? b / per[1] : 0;
	const chance = 2 * Math.sqrt(Math.max(1, (a + b) / head.sample)) * head.sample, most = Math.max(before, after);
	if (Math.abs(after - before) * Math.max(total[0], total[1]) < chance || !most) return css(same);
	return css(mix(same, tone(head.changes[after > before ? 1 : 2]), 0.3 + 0.7 * Math.abs(after - before) / most));
}
// By what was judged, whichever share is the larger one.
function judgedColour(j) {
	const same = tone(head.changes[0]);
	return css(!j || !j.way ? same : mix(same, tone(head.changes[j.way > 0 ? 1 : 2]), 0.3 + 0.7 * Math.min(1, j.change > 0 ? j.change / (1 + j.change) : -j.change)));
}
const comparedColour = (l, node) => JUDGED ? judgedColour(judgedAt(l, node)) : changeColour(l.total[0][node], l.total[1][node], shown.total, shown.per);

// ---- functions ----
// In their order.
const VERDICTS = ['worse', 'better', 'not known', 'same', ''];
function verdictCell({ judged, verdict }) {
	const row = make('div');
	row.append(swatch(judgedColour(judged)), judged ? verdict : 'light');
	return cell(row, true);
}
const comparedColumns = () => ({ before: 'Before', after: 'After', points: 'Change', change: 'Change, %', ...JUDGED && { low: 'Interval, %', verdict: 'Verdict' } });
const JUDGED_TOP = ['Change', 'Low', 'High', 'Verdict'];
const judgedNumbers = j => j ? [j.change, j.low, j.high, j.verdict] : ['', '', '', 'light'];
function compareRow(row, self, total) {
	const f = row.f, share = (w, side) => shown.per[side] ? w / shown.per[side] : 0;
	row.was = self[0][f];
	row.is = self[1][f];
	row.before = share(row.was, 0);
	row.after = share(row.is, 1);
	row.points = row.after - row.before;
	row.change = row.before ? row.points / row.before : row.after ? Infinity : 0;
	row.judged = JUDGED && JUDGED[1].get(f);
	row.verdict = verdictText(row.judged);
	if (row.judged && row.before && row.after) row.change = row.judged.change;
	row.alone = !total[1][f] ? 'gone' : !total[0][f] ? 'new' : '';
	row.low = row.judged ? row.judged.low : -Infinity;
}
const COMPARED_BY = { points: row => Math.abs(row.points), verdict: row => Math.abs(row.points) - VERDICTS.indexOf(row.judged ? row.verdict : '') };
const comparedCells = row => [shareCell(row.before, 1, sideText(row.was, 0)), shareCell(row.after, 1, sideText(row.is, 1)), cell(`${row.points > 0 ? '+' : row.points < 0 ? '−' : ''}${sideText(Math.abs(row.points) * shown.per[1], 1)}`, true), cell(row.alone || (!isFinite(row.change) ? 'new' : row.judged ? signed(row.change, 1) : `${row.change > 0 ? '+' : ''}${Math.round(100 * row.change)}`), true), ...JUDGED ? [cell(row.judged && row.before && row.after ? `${signed(row.low, 1)} to ${signed(row.judged.high, 1)}` : '', true), verdictCell(row)] : []];

// ---- the legend ----
const ALONE = 'one recording of a side: grey may be chance by the number of samples, and another run may differ by more';
function comparedLegend() {
	const other = shown.base.map(self => sums(whole_, self));
	const entry = (i, text, more) => { const made = make('span'); made.append(swatch(css(tone(head.changes[i])), more), text); return made; };
	// what of one side was on no stack of the other
	const lost = WIDTHS.map((name, side) => [`only ${name}`, added(upTo(N), i => other[1 - side][i] ? 0 : shown.base[side][i]), side]);
	return [...[1, 2, 0].map(i => entry(i, head.changes[i][0])), ...lost.map(([name, w, side]) => entry(side ? 1 : 2, `${name} ${percent(w, shown.total[side])}`, side ? '' : ' gone')), make('span', JUDGED ? `judged by ${RUNS[0]} and ${RUNS[1]} recordings${first.paired ? ', in pairs' : ''}` : ALONE, 'soft')];
}
