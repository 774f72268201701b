// ---- when: the time line, and a row for each thread on the same axis ----
const LINE_AXIS = 16, ROW_HEIGHT = 22;
const STACKED = [0, 1, 2, 4, 5, 3];                // kinds from bottom to top
function fit(canvas, width, height) {
	const scale = devicePixelRatio || 1;
	if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
	if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
	canvas.style.width = `${width}px`;
	canvas.style.height = `${height}px`;
	const c = canvas.getContext('2d');
	c.setTransform(scale, 0, 0, scale, 0, 0);
	c.clearRect(0, 0, width, height);
	return c;
}
// The first of 1, 2, 5, 10, 20 ... that is no less.
function round(least) {
	for (let unit = Math.pow(10, Math.floor(Math.log10(least))); ; unit *= 10) for (const k of [1, 2, 5]) if (k * unit >= least) return k * unit;
}
const lineWidth = () => Math.max(100, $('line').parentElement.clientWidth - $('line').previousElementSibling.offsetWidth - 8 - barWidth());
const barWidth = () => $('threads').hidden ? 0 : $('threads').offsetWidth - $('threads').clientWidth;

// ---- marks below the axis: what was lost, held back or noted ----
const MARKS = head.marks.length ? 9 : 0;           // pixels
// What the line is about: a heat map ends with a whole column.
const lineSpan = width => S.heat ? Math.ceil(fullSpan() / heatColumn(width)) * heatColumn(width) : fullSpan();
function markText([kind, from, to, what]) {
	if (kind === 'note') return what;
	const words = kind === 'lost' ? `${plural(+what, 'event')} lost` : `throttled${+what > 1 ? ` ${count(+what)} times` : ''}`;
	return to > from ? `${words} from ${time(from)} to ${time(to)}` : words;
}
// In words, those of a span of time.
function marksIn(from, to) {
	const near = head.marks.filter(mark => mark[2] >= from && mark[1] <= to);
	return [...near.slice(0, 5).map(markText), ...near.length > 5 ? [`and ${count(near.length - 5)} more`] : []];
}
function drawMarks(c, width, y) {
	const all = lineSpan(width), colour = { lost: style('--wrong'), throttled: style('--soft'), note: style('--pick') };
	for (const [kind, from, to] of head.marks) {
		const x = Math.min(from / all * width, width - 2), wide = Math.min(Math.max(2, (to - from) / all * width), width - x);
		c.fillStyle = colour[kind];
		if (kind !== 'note') { c.fillRect(x, y + (kind === 'lost' ? 1 : 4), wide, kind === 'lost' ? 8 : 4); continue; }
		c.beginPath();
		c.moveTo(x - 3, y + 9);
		c.lineTo(x + 1, y + 1);
		c.lineTo(x + 5, y + 9);
		c.fill();
	}
}
function showMarks(event, canvas) {
	const t = canvas === $('line') ? (event.clientX - canvas.getBoundingClientRect().left) / canvas.clientWidth * lineSpan(canvas.clientWidth) : -1;
	const near = t >= 0 ? 5 / canvas.clientWidth * lineSpan(canvas.clientWidth) : -1, list = marksIn(t - near, t + near);
	$('tip').hidden = !list.length;
	$('tip').replaceChildren(...list.map(text => make('div', text)));
	if (list.length) placeTip(event);
	return list;
}
const busiest = sum => head.event && IS_TIME && !WAITS && head.cpus ? Math.min(head.cpus, Math.max(1, Math.ceil(sum))) : sum;

// As many bins as there are places for, and no more than hold four cells each.
const binsOf = width => Math.max(8, Math.min(Math.floor(width / 3), Math.floor(C / 4)));
// What a cell weighs, by bin of so many ns: a wait is where it lasts, all else where it was sampled.
function spread(i, bins, each, add) {
	const from = cTick[i] * head.tick, to = Math.min(from + cWeight[i], fullSpan());
	if (!WAITS) { add(Math.min(bins - 1, Math.floor(from / each)), cWeight[i]); return; }
	for (let b = Math.floor(from / each); b < bins && b * each < to; b++) add(b, Math.min(to, (b + 1) * each) - Math.max(from, b * each));
}
// By bin and kind, what cells weigh that pass, whatever the span is: kept until others pass.
const binned = [];
function lineBins(bins, side, each = fullSpan() / bins) {
	const of = [current, bins, each, [...S.threads], S.only, S.without].join(';');
	if (!binned[side] || binned[side].of !== of) binned[side] = { of, made: addBins(bins, side, each) };
	return binned[side].made;
}
function addBins(bins, side, each) {
	const made = STACKED.map(() => reals(bins)), rank = [];
	STACKED.forEach((kind, i) => { rank[kind] = i; });
	rank[6] = 0;
	for (let i = edges[side]; i < edges[side + 1]; i++) {
		if (!isShown(i)) continue;
		const kind = made[rank[kindOf(func[cNode[i]])]];
		spread(i, bins, each, (bin, w) => { kind[bin] += w; });
	}
	return made;
}
function drawAxis(c, width, y, span = fullSpan()) {
	const step = round(90 / width * span);
	c.fillStyle = style('--soft');
	c.font = '11px system-ui, sans-serif';
	for (let t = 0; t < span; t += step) {
		const x = t / span * width, text = time(t);
		c.fillRect(Math.round(x), y, 1, 3);
		c.fillText(text, Math.min(x + (t ? 2 : 0), width - c.measureText(text).width), y + 13);
	}
}
function fadeOutside(c, width, height, span = S.span) {
	if (!span) return;
	const [from, to] = span.map(t => t / fullSpan() * width);
	c.globalAlpha = 0.7;
	c.fillStyle = style('--sheet');
	c.fillRect(0, 0, from, height);
	c.fillRect(to, 0, width - to, height);
	c.globalAlpha = 1;
	c.fillStyle = style('--pick');
	c.fillRect(from - 1, 0, 2, height);
	c.fillRect(to - 1, 0, 2, height);
}
// Of a difference each side has a line, on one scale.
const lines = [$('line'), $('line-after')], sideAt = canvas => canvas === lines[1] ? 1 : 0;
// What a reader of screens says of the line.
function sayLine(side) {
	const line = lines[side], [from, to] = S[SPANS[side]] || [0, fullSpan()];
	for (const [name, value] of Object.entries({ valuemin: 0, valuemax: fullSpan() / 1e9, valuenow: from / 1e9, valuetext: `${time(from)} to ${time(to)}` })) line.setAttribute(`aria-${name}`, value);
}
function drawLine(side = 0) {
	sayLine(side);
	const width = lineWidth(), height = (S.heat ? 150 : 84) + MARKS, c = fit(lines[side], width, height), h = height - LINE_AXIS - MARKS;
	drawMarks(c, width, h + LINE_AXIS);
	$('heat').hidden = head.duration < 10e9 || DIFF;
	$('heat').textContent = S.heat ? 'Line' : 'Heat map';
	$('all').textContent = DIFF ? 'Before' : T === 1 ? threadName(0) : `All ${plural(T, 'thread')}`;
	if (S.heat) { drawHeat(c, width, h); return; }
	const bins = binsOf(width), all = Array.from({ length: SIDES }, (_, k) => lineBins(bins, k)), stacked = all[side], each = fullSpan() / bins;
	let most = 0;
	for (const one of all) for (let b = 0; b < bins; b++) most = Math.max(most, added(one, k => k[b]));
	const scale = busiest(most / each) * each || 1;
	for (let b = 0; b < bins; b++) {
		let y = h;
		const x = Math.round(b * width / bins), w = Math.round((b + 1) * width / bins) - x;
		stacked.forEach((kind, i) => {
			const tall = Math.min(kind[b] / scale * h, y);
			if (!tall) return;
			c.fillStyle = DIFF ? style('--soft') : css(kindColour(STACKED[i]));
			c.fillRect(x, y - tall, w - (w > 8 ? 1 : 0), tall);
			y -= tall;
		});
	}
	fadeOutside(c, width, h, S[SPANS[side]]);
	drawAxis(c, width, h);
	if (DIFF) return;
	$('busy').textContent = head.event && IS_TIME ? (WAITS ? `threads waiting, up to ${count(Math.ceil(most / each - 1e-6))}` : `CPUs busy: 0 to ${count(busiest(most / each))}${head.cpus ? ` of ${head.cpus}` : ''}`) :
		`${head.noun} a second, up to ${count(most / each * 1e9)}`;
}
const HEAT_ROWS = 50, HEAT_COLUMNS = [1, 2, 5, 10, 30, 60, 300, 600, 3600, 36000, 360000, 3600000, 36000000];
function heatColumn(width) {
	const s = HEAT_COLUMNS.find(k => width / Math.ceil(fullSpan() / 1e9 / k) >= 4) || HEAT_COLUMNS[HEAT_COLUMNS.length - 1];
	return s * 1e9;
}
function drawHeat(c, width, h) {
	const each = heatColumn(width), columns = Math.ceil(fullSpan() / each), part = each / HEAT_ROWS;
	const weights = lineBins(columns * HEAT_ROWS, 0, part).reduce((all, kind) => all.map((w, b) => w + kind[b])), most = largest(weights) || 1;
	const [low, high] = dark ? [0x1f2227, 0xf2c14e] : [0xf5f6f8, 0x0b3d91], shades = Array.from({ length: 65 }, (_, i) => css(mix(low, high, i / 64)));
	weights.forEach((w, b) => {
		const t = b * part, x = Math.floor(b / HEAT_ROWS) / columns * width, row = b % HEAT_ROWS;
		c.globalAlpha = S.span && (t + part <= S.span[0] || t >= S.span[1]) ? 0.35 : 1;
		c.fillStyle = shades[Math.round(64 * Math.sqrt(w / most))];
		c.fillRect(x, h - (row + 1) * h / HEAT_ROWS, width / columns - 0.5, h / HEAT_ROWS);
	});
	c.globalAlpha = 1;
	drawAxis(c, width, h, columns * each);
	$('busy').textContent = `column: ${time(each)}, read upwards; ${dark ? 'brighter' : 'darker'}: busier`;
}
function timeAt(event, canvas) {
	const r = canvas.getBoundingClientRect(), x = Math.min(Math.max(event.clientX - r.left, 0), r.width);
	if (canvas === $('line') && S.heat) {
		const each = heatColumn(r.width), columns = Math.ceil(fullSpan() / each), h = r.height - LINE_AXIS - MARKS;
		const column = Math.min(columns - 1, Math.floor(x / r.width * columns)), row = Math.min(HEAT_ROWS - 1, Math.max(0, Math.floor((1 - (event.clientY - r.top) / h) * HEAT_ROWS)));
		return column * each + row * each / HEAT_ROWS;
	}
	return x / r.width * fullSpan();
}
// Drag: a span; at its edges and inside, the span itself; a click ends it.
let drag = null;
function dragTime(canvas, click) {
	when(canvas, 'pointerdown', e => {
		if (e.button) return;
		const t = timeAt(e, canvas), width = canvas.getBoundingClientRect().width, near = 5 / width * fullSpan();
		const was = S[SPANS[sideAt(canvas)]], edge = was ? was.findIndex(s => Math.abs(s - t) < near) : -1;
		const fine = !(canvas === $('line') && S.heat);
		drag = { x: e.clientX, from: edge >= 0 && fine ? was[1 - edge] : t, moved: edge >= 0 && fine, slide: edge < 0 && fine && was && t > was[0] && t < was[1] ? [t, was] : null };
		canvas.setPointerCapture(e.pointerId);
	});
	when(canvas, 'pointermove', e => {
		const t = timeAt(e, canvas);
		say([`${time(t)} after the start${head.start ? `, ${new Date(head.start + t / 1e6).toISOString().slice(11, 21)} UTC` : ''}`, ...showMarks(e, canvas)].join('; '));
		if (!drag || (!drag.moved && Math.abs(e.clientX - drag.x) < 4)) return;
		const was = drag;
		drag.moved = true;
		const by = drag.slide ? t - drag.slide[0] : 0, [a, b] = drag.slide ? drag.slide[1] : [drag.from, t];
		const move = Math.max(-a, Math.min(by, fullSpan() - b)), part = canvas === $('line') && S.heat ? heatColumn(canvas.clientWidth) / HEAT_ROWS : 0;
		const span = clip(drag.slide ? [a + move, b + move] : [Math.min(a, b), Math.max(a, b) + part]);
		if (span) soon(() => { go({ [SPANS[sideAt(canvas)]]: span }, was.pushed); was.pushed = true; });
	});
	when(canvas, 'pointerup', e => {
		const was = drag;
		drag = null;
		if (!was) return;
		if (!was.moved) click(e);
	});
	when(canvas, 'pointerleave', () => { $('tip').hidden = true; });
	when(canvas, 'dblclick', () => go({ [SPANS[sideAt(canvas)]]: null }));
}
let pending = null;
function soon(act) {
	if (!pending) requestAnimationFrame(() => { const last = pending; pending = null; last(); });
	pending = act;
}
let cursor = 0, anchor = 0;
function lineKeys(e) {
	const step = { ArrowLeft: -0.01, ArrowRight: 0.01, PageUp: 0.1, PageDown: -0.1, Home: -1, End: 1 }[e.key];
	if (!step) return;
	e.preventDefault();
	cursor = Math.min(fullSpan(), Math.max(0, cursor + step * fullSpan()));
	const name = SPANS[sideAt(e.currentTarget)];
	if (e.shiftKey) go({ [name]: clip([anchor, cursor]) }, true);
	else anchor = cursor;
	const near = Math.min(Math.abs(step), 0.1) / 2 * fullSpan();
	say([S[name] ? `${time(S[name][0])} to ${time(S[name][1])}` : `${time(cursor)} after the start`, ...marksIn(cursor - near, cursor + near)].join('; '));
}

// ---- threads: only rows in sight exist ----
let rows = [], byThread = null, opened = new Set();
function cellsOf(t) {
	if (!byThread) {
		const start = numbers(T + 1), list = numbers(C);
		for (let i = 0; i < C; i++) start[cThread[i] + 1]++;
		for (let t2 = 0; t2 < T; t2++) start[t2 + 1] += start[t2];
		const at = start.slice();
		for (let i = 0; i < C; i++) list[at[cThread[i]]++] = i;
		byThread = { start, list };
	}
	return byThread.list.subarray(byThread.start[t], byThread.start[t + 1]);
}
// More than 20 threads: those of one program are one row, until it is opened.
function makeRows() {
	const text = $('find-thread').value.toLowerCase(), match = t => !text || threadName(t).toLowerCase().includes(text);
	const all = upTo(T).filter(match);
	rows = [];
	if (T <= 20 || text) { rows = all.map(t => ({ threads: [t] })); return; }
	const by = new Map();
	for (const t of all) { if (!by.has(commOf[t])) by.set(commOf[t], []); by.get(commOf[t]).push(t); }
	for (const [comm, list] of [...by].sort((a, b) => added(b[1], t => threadWhole[t]) - added(a[1], t => threadWhole[t]))) {
		if (list.length === 1) { rows.push({ threads: list }); continue; }
		rows.push({ threads: list, comm });
		if (opened.has(comm)) list.forEach(t => rows.push({ threads: [t], inner: true }));
	}
}
const rowText = r => r.comm === undefined ? `${r.inner ? '   ' : ''}${threadName(r.threads[0])}` : `${opened.has(r.comm) ? '▾' : '▸'} ${comms[r.comm]} (${plural(r.threads.length, 'thread')})`;
const isChosen = r => r.threads.every(t => S.threads.has(t));
let rowsShown = [];
function drawThreads() {
	const box = $('threads');
	box.hidden = T < 2 || DIFF;
	$('find').hidden = T <= 20 || DIFF;
	if (box.hidden) return;
	if (drag && rowsShown.length) { rowsShown.forEach(row => row.paint()); return; } // what is dragged stays
	makeRows();
	const seen = Math.min(rows.length || 1, innerHeight < 700 ? 4 : 5);
	box.style.height = `${seen * ROW_HEIGHT + 1}px`;
	$('rows').style.height = `${rows.length * ROW_HEIGHT}px`;
	document.querySelector('.row.all').style.setProperty('--bar', `${barWidth()}px`);
	const from = Math.floor(box.scrollTop / ROW_HEIGHT), list = rowsShown = [];
	for (let i = from; i < Math.min(rows.length, from + seen + 2); i++) list.push(threadRow(i));
	$('rows').replaceChildren(...list);
	list.forEach(row => row.paint());
}
// A name that is too long for its place loses the end of what the thread is called, not its number.
function nameParts(r) {
	const text = rowText(r), at = r.comm === undefined ? text.lastIndexOf(' ') : text.length;
	return [make('b', text.slice(0, at)), text.slice(at)];
}
function threadRow(i) {
	const r = rows[i], row = make('div', '', 'thread'), label = make('div', '', 'label'), name = make('i'), share = make('span');
	const canvas = make('canvas');
	row.style.top = `${i * ROW_HEIGHT}px`;
	row.id = `thread-${i}`;
	row.setAttribute('role', 'option');
	row.setAttribute('aria-selected', isChosen(r));
	name.append(...nameParts(r));
	label.append(name, share);
	row.append(label, canvas);
	when(label, 'click', e => pick(r, e));
	dragTime(canvas, e => pick(r, e));
	row.paint = () => {
		share.textContent = percent(added(r.threads, t => shown.thread[t]), added(shown.thread));
		paintThread(canvas, r, lineWidth());
	};
	return row;
}
function pick(r, e) {
	const more = e.ctrlKey || e.metaKey || e.shiftKey, all = isChosen(r), on = all && (more || S.threads.size === r.threads.length), threads = new Set(more ? S.threads : []);
	if (r.comm !== undefined) all && !more && opened.has(r.comm) ? opened.delete(r.comm) : opened.add(r.comm);
	r.threads.forEach(t => on ? threads.delete(t) : threads.add(t));
	go({ threads });
}
// What a row weighs by bin, whatever the span is, as lineBins() has it.
let rowBins = { of: '' };
function binsOfRow(r, bins) {
	const of = [current, bins, S.only, S.without].join(';'), row = r.comm === undefined ? r.threads[0] : -1 - r.comm;
	if (rowBins.of !== of) rowBins = { of, made: new Map() };
	if (rowBins.made.has(row)) return rowBins.made.get(row);
	const sum = reals(bins);
	for (const t of r.threads)
		for (const i of cellsOf(t)) {
			if (shown.pass && !shown.pass[cNode[i]]) continue;
			spread(i, bins, fullSpan() / bins, (bin, w) => { sum[bin] += w; });
		}
	rowBins.made.set(row, sum);
	return sum;
}
function paintThread(canvas, r, width) {
	const c = fit(canvas, width, ROW_HEIGHT - 2), bins = binsOf(width), sum = binsOfRow(r, bins), each = fullSpan() / bins;
	const scale = IS_TIME && r.threads.length === 1 ? each : largest(sum) || 1;
	c.fillStyle = style('--soft');
	for (let b = 0; b < bins; b++) {
		const tall = Math.min(1, sum[b] / scale) * (ROW_HEIGHT - 4);
		if (tall) c.fillRect(Math.round(b * width / bins), ROW_HEIGHT - 2 - tall, Math.round((b + 1) * width / bins) - Math.round(b * width / bins), tall);
	}
	fadeOutside(c, width, ROW_HEIGHT);
}
function threadKeys(e) {
	const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
	if (!step || !rows.length) return;
	e.preventDefault();
	const at = rows.findIndex(isChosen), i = Math.min(rows.length - 1, Math.max(0, at + step));
	go({ threads: new Set(rows[i].threads) });
	$('threads').scrollTop = Math.max(0, (i - 2) * ROW_HEIGHT);
	drawThreads();
	$('threads').setAttribute('aria-activedescendant', `thread-${i}`);
	say(`${rowText(rows[i]).trim()}: ${weightWords(shown.total[0])}`);
}
