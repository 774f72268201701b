// ---- boxes: the flame graph, callers and callees, time order ----
const BOX = 18;
const labelOf = (f, node) => node <= 0 ? f.func[0] >= 0 ? nameOf(f.func[0]) : 'all' : f.group && f.group[node] >= 0 ? groupNames[S.group](f.group[node]) : nameOf(f.func[node]);

// How wide each node is and where it begins, in shares of the whole; of two sides both what was lost
// and gained, unless one is chosen.
function lay(f, w) {
	const left = reals(f.n), next = reals(f.n), per = perOf(w.total.map(total => total[0]));
	const wider = (_, i) => Math.max(...per.map((of, side) => of && (!S.width || S.width === WIDTHS[side]) ? w.self[side][i] / of : 0));
	const width = !DIFF ? w.total[0] : sums(f, w.self[0].map(wider));
	let deepest = 0;
	for (let i = 0; i < f.n; i++) {
		if (width[i] > 0) deepest = Math.max(deepest, f.depth[i]);
		if (i) { left[i] = next[i] = next[f.parent[i]]; next[f.parent[i]] += width[i]; }
	}
	return { forest: f, self: w.self, total: w.total, width, left, deepest, root: 0 };
}
let matched = null, flame = null, callers = null, callees = null, order = null, focused = 0, under = null;

function faded(f, node) {
	const g = f.func[node];
	if (matched) return g < 0 || !matched[g];
	return S.kind >= 0 && (S.colour ? g < 0 || rankOf(g) !== S.kind : kindOf(g) !== S.kind);
}
function fillOf(l, node) {
	if (DIFF) return comparedColour(l, node);
	return l.forest.func[node] < 0 ? css(kindColour(6)) : colourOf(l.forest.func[node]);
}
function hatch(c, x, y, w) {
	c.save();
	c.beginPath();
	c.rect(x, y, w, BOX - 1);
	c.clip();
	c.strokeStyle = dark ? 'rgb(255 255 255 / 45%)' : 'rgb(0 0 80 / 45%)';
	c.beginPath();
	for (let k = -BOX; k < w; k += 6) { c.moveTo(x + k, y + BOX); c.lineTo(x + k + BOX, y); }
	c.stroke();
	c.restore();
}
function box(c, x, y, w, fill, text, options) {
	const gap = w >= 3 ? 1 : 0;
	c.globalAlpha = options.alpha;
	c.fillStyle = fill;
	c.fillRect(x, y, w - gap, BOX - 1);
	if (forced) c.globalAlpha = 1;
	if (options.line || (forced && gap)) { c.strokeStyle = style('--line'); c.strokeRect(x + 0.5, y + 0.5, Math.max(w - gap - 1, 0.5), BOX - 2); }
	if (options.gone) hatch(c, x, y, w - gap);
	if (options.matched) { c.fillStyle = style('--pick'); c.fillRect(x, y + BOX - 3, w - gap, 2); }
	if (options.focus) { c.strokeStyle = style('--pick'); c.lineWidth = 2; c.strokeRect(x + 1, y + 1, Math.max(w - gap - 2, 1), BOX - 3); c.lineWidth = 1; }
	if (w > 20) {
		const label = fitted(c, text, w - 7);
		c.fillStyle = options.line ? style('--ink') : dark ? '#fff' : '#14171b';
		if (label) c.fillText(label, x + 3, y + 12.5);
	}
	c.globalAlpha = 1;
}
const MONO = '12px system-ui, sans-serif';
// Draws what is above `height`; `top` is where the outermost frames are, and `step` from each depth to the next.
function paint(c, l, width, top, step, height) {
	const f = l.forest, root = l.root, scale = l.width[root] ? width / l.width[root] : 0, column = [], here = ringAt();
	const one = (i, x, w, alpha) => {
		const y = top + step * f.depth[i], g = f.func[i];
		if (y < -BOX || y > height) return;
		box(c, x, y, w, fillOf(l, i), i || g >= 0 || DIFF ? labelOf(f, i) : `all: ${weightWords(l.total[0][0])}`, {
			alpha: faded(f, i) ? 0.28 : alpha, line: g < 0, matched: matched && g >= 0 && matched[g] && w >= 1,
			gone: DIFF && l.total[0][i] && !l.total[1][i] && w >= 4, focus: l === here.layout && i === here.node,
		});
	};
	c.font = MONO;
	if (!scale) return;
	for (let i = f.parent[root]; i >= 0; i = f.parent[i]) one(i, 0, width, 0.45);
	for (let i = root; i < f.end[root];) {
		const x = (l.left[i] - l.left[root]) * scale, w = l.width[i] * scale;
		if (!l.width[i]) { i = f.end[i]; continue; }
		if (w < 0.5) {
			// the first that begins in a column of pixels stands for all in it
			const at = Math.floor(x);
			if (column[f.depth[i]] === at) { i = f.end[i]; continue; }
			column[f.depth[i]] = at;
			one(i, at, 1, 0.6);
		} else one(i, x, w, 1);
		i++;
	}
}
function nodeAt(l, x, d, width) {
	const f = l.forest, scale = l.width[l.root] ? width / l.width[l.root] : 0;
	if (d < 0 || !scale) return -1;
	for (let i = l.root; i >= 0; i = f.parent[i]) if (f.depth[i] === d) return i;
	const at = x / scale + l.left[l.root];
	for (let i = l.root; f.depth[i] < d;) {
		let k = i + 1, found = -1;
		for (; k < f.end[i] && found < 0; k = f.end[k]) if (l.width[k] > 0 && at >= l.left[k] && at < l.left[k] + l.width[k]) found = k;
		if (found < 0) return -1;
		i = found;
		if (f.depth[i] === d) return i;
	}
	return -1;
}

// ---- which picture there is ----
const NOTHING = 'Nothing was sampled here. Choose a longer span, or Reset.';
const pictureWidth = () => Math.max(200, $('tall').clientWidth);
const viewHeight = () => $('view').clientHeight;
function buildGraph() {
	const f = forest(S.group, S.join, S.reverse);
	flame = lay(f, weigh(f));
	flame.root = follow(f, S.zoom);
	if (!flame.width[flame.root]) flame.root = 0;
	S.zoom = pathTo(f, flame.root);
	if (focused >= f.n) focused = flame.root;
}
function rowsOf() {
	if (S.view === 'graph') return flame.deepest + 1;
	if (S.view === 'callers') return callers ? callers.deepest + callees.deepest + 1 : 1;
	return order ? order.deepest + 2 : 1;
}
const yOfGraph = d => (S.flip ? (flame.deepest - d) * BOX + Math.max(0, viewHeight() - 2 - rowsOf() * BOX) : d * BOX) - $('view').scrollTop;
const middle = () => callers.deepest * BOX - $('view').scrollTop;
function drawPicture() {
	const height = Math.max(60, viewHeight() - 2);
	$('tall').style.height = `${Math.max(rowsOf() * BOX, height)}px`;
	// a bar to scroll by takes its part
	const width = pictureWidth(), c = fit($('graph'), width, height);
	c.font = MONO;
	if (![0, 1].some(side => shown.total[side] > 0 && (!S.width || S.width === WIDTHS[side]))) {
		c.fillStyle = style('--soft');
		c.fillText(NOTHING, 8, 24);
	} else if (S.view === 'graph') paint(c, flame, width, yOfGraph(0), S.flip ? -BOX : BOX, height);
	else if (S.view === 'callers' && callers) {
		paint(c, callers, width, middle(), -BOX, height);
		paint(c, callees, width, middle(), BOX, height);
	} else if (S.view === 'order' && order) drawOrder(c, width, height);
}

// ---- callers and callees of a function ----
function buildCallers() {
	const pivot = S.pivot >= 0 ? S.pivot : heaviestFunction();
	callers = callees = null;
	if (pivot < 0) return -1;
	const up = new Builder(), down = new Builder(), upSelf = [], downSelf = [];
	up.funcs[0] = down.funcs[0] = pivot;
	for (let side = 0; side < SIDES; side++) { upSelf.push([]); downSelf.push([]); }
	const totals = shown.base.slice(0, SIDES).map(self => sums(whole_, self)), to = new Map();
	for (let n = 1; n < N; n++) {
		if (func[n] !== pivot || !outermost[n] || !totals.some(t => t[n] > 0)) continue;
		let at = 0;
		for (let k = parent[n]; k > 0; k = parent[k]) at = up.child(at, func[k]);
		for (let side = 0; side < SIDES; side++) upSelf[side][at] = (upSelf[side][at] || 0) + totals[side][n];
		to.clear();
		to.set(n, 0);
		for (let k = n; k < end[n]; k++) {
			if (!totals.some(t => t[k] > 0)) { k = end[k] - 1; continue; }
			if (k > n) to.set(k, down.child(to.get(parent[k]), func[k]));
			for (let side = 0; side < SIDES; side++) downSelf[side][to.get(k)] = (downSelf[side][to.get(k)] || 0) + shown.base[side][k];
		}
	}
	const finish = (b, self) => {
		const dense = self.map(s => Float64Array.from({ length: b.parents.length }, (_, i) => s[i] || 0));
		const f = b.finish(dense.length > 1 ? dense[0].map((w, i) => w + dense[1][i]) : dense[0]);
		const placed = dense.map(s => { const made = reals(f.n); s.forEach((w, i) => { made[f.place[i]] = w; }); return made; });
		f.group = null;
		return lay(f, { self: placed, total: placed.map(s => sums(f, s)) });
	};
	callers = finish(up, upSelf);
	callees = finish(down, downSelf);
	return pivot;
}

// ---- what came after what: one thread ----
function buildOrder() {
	const list = S.threads.size ? [...S.threads] : upTo(T);
	const t = list.reduce((best, k) => best < 0 || shown.thread[k] > shown.thread[best] ? k : best, -1);
	const span = S.span || [0, fullSpan()], width = pictureWidth(), quarter = (span[1] - span[0]) / width / 4, cells = t < 0 ? [] : cellsOf(t);
	const gaps = [], boxes = [], open = [];
	order = { thread: t, span, boxes, deepest: 0 };
	for (let k = 1; k < cells.length && gaps.length < 1001; k++) gaps.push((cTick[cells[k]] - cTick[cells[k - 1]]) * head.tick);
	const usual = gaps.sort((a, b) => a - b)[gaps.length >> 1] || span[1] - span[0];
	let until = -Infinity;                     // how long what was sampled last is taken to go on
	const close = (d, at) => { while (open.length > d) { const b = open.pop(); b.to = at; boxes.push(b); } };
	let last = -Infinity;
	for (let k = 0; k < cells.length; k++) {
		const i = cells[k], begin = cTick[i] * head.tick, ends = begin + cWeight[i], at = WAITS && ends > span[0] ? Math.max(begin, span[0]) : begin;
		if (at < span[0] || at >= span[1] || (shown.pass && !shown.pass[cNode[i]])) continue;
		if (WAITS ? at > until : at - last > 2.5 * usual) close(0, Math.min(until, at));
		else if (at - last < quarter) { last = at; continue; }
		last = at;
		until = WAITS ? ends : at + usual;
		chain.length = 0;
		for (let n = cNode[i]; n > 0; n = parent[n]) chain.push(func[n]);
		chain.reverse();
		let same = 0;
		while (same < open.length && same < chain.length && open[same].func === chain[same]) same++;
		close(same, at);
		for (let d = same; d < chain.length; d++) open.push({ depth: d, func: chain[d], from: at, to: 0 });
		order.deepest = Math.max(order.deepest, chain.length);
	}
	close(0, Math.min(until, span[1]));
}
const yOfOrder = d => (d + 1) * BOX - $('view').scrollTop;
const xOfOrder = (t, width) => (t - order.span[0]) / (order.span[1] - order.span[0]) * width;
function drawOrder(c, width, height) {
	const f = { func: [0] }, here = ringAt();
	for (const b of order.boxes) {
		const x = xOfOrder(b.from, width), w = Math.max(xOfOrder(b.to, width) - x, 0.5), y = yOfOrder(b.depth);
		if (y < -BOX || y > height) continue;
		f.func[0] = b.func;
		box(c, x, y, w, colourOf(b.func), nameOf(b.func), { alpha: faded(f, 0) ? 0.28 : 1, matched: matched && matched[b.func], focus: b === here.box });
	}
	c.fillStyle = style('--paper');
	c.fillRect(0, 0, width, BOX - 1);
	c.font = '11px system-ui, sans-serif';
	const step = round(90 / width * (order.span[1] - order.span[0]));
	for (let t = Math.ceil(order.span[0] / step) * step; t < order.span[1]; t += step) {
		const x = Math.round(xOfOrder(t, width)), text = time(t);
		c.fillStyle = dark ? 'rgb(255 255 255 / 22%)' : 'rgb(0 0 0 / 16%)';
		c.fillRect(x, 0, 1, height);
		c.fillStyle = style('--soft');
		if (x + 3 + c.measureText(text).width < width) c.fillText(text, x + 3, 12);
	}
}

// ---- what has the focus, and where keys lead from it ----
let held = null;                                   // in callers and callees, and in time order
function heldNow() {
	if (S.view === 'graph') return { layout: flame, node: focused };
	if (S.view === 'callers' && callers) return held && [callers, callees].includes(held.layout) ? held : { layout: callees, node: 0 };
	if (S.view === 'order' && order && order.boxes.length) return held && order.boxes.includes(held.box) ? held : { box: besideBox(null) };
	return null;
}
const ringAt = () => (document.activeElement === $('graph') && heldNow()) || {};
const heaviest = (l, list) => list.reduce((a, b) => a < 0 || l.width[b] > l.width[a] ? b : a, -1);
function calledBy(l, node) {
	const f = l.forest, list = [];
	for (let k = node + 1; k < f.end[node]; k = f.end[k]) if (l.width[k] > 0) list.push(k);
	return list;
}
// The next box of the same depth, or the one before; of none the first.
function besideBox(box, step = 1) {
	const row = order.boxes.filter(b => b.depth === (box ? box.depth : 0)).sort((a, b) => a.from - b.from);
	return row[box ? Math.min(row.length - 1, Math.max(0, row.indexOf(box) + step)) : 0];
}
function boxFrom(box, key) {
	const inside = (a, b) => a.from >= b.from && a.to <= b.to;
	if (key === 'Home') return besideBox(null);
	if (key === 'ArrowLeft' || key === 'ArrowRight') return besideBox(box, key === 'ArrowLeft' ? -1 : 1);
	const list = order.boxes.filter(b => b.depth === box.depth + (key === 'ArrowDown' ? 1 : -1) && (key === 'ArrowDown' ? inside(b, box) : inside(box, b)));
	return list.reduce((a, b) => b.to - b.from > a.to - a.from ? b : a, list[0] || box);
}
// What an arrow key or Home leads to; null: it is no such key.
function keyFrom(h, key) {
	if (!/^(Arrow(Up|Down|Left|Right)|Home)$/.test(key)) return null;
	if (h.box) return { box: boxFrom(h.box, key) };
	if (key === 'Home') return { layout: h.layout === callers ? callees : h.layout, node: 0 };
	let { layout: l, node } = h;
	if (l !== flame && !node && key === 'ArrowUp') l = callers;
	if (l !== flame && !node && key === 'ArrowDown') l = callees;
	const up = l === callers || (l === flame && S.flip), list = node ? calledBy(l, l.forest.parent[node]) : [0];
	let to = node;
	if (key === (up ? 'ArrowUp' : 'ArrowDown')) to = heaviest(l, calledBy(l, node));
	else if (key === (up ? 'ArrowDown' : 'ArrowUp')) to = l.forest.parent[node];
	else to = list[Math.min(list.length - 1, Math.max(0, list.indexOf(node) + (key === 'ArrowLeft' ? -1 : 1)))];
	return { layout: l, node: to < 0 ? node : to };
}
function topOf(h) {
	if (h.box) return yOfOrder(h.box.depth);
	const d = h.layout.forest.depth[h.node];
	return h.layout === flame ? yOfGraph(d) : middle() + (h.layout === callers ? -d : d) * BOX;
}
function hold(h) {
	if (h.layout === flame) focused = h.node; else held = h;
	const y = topOf(h);
	if (y < 0 || y > viewHeight() - BOX) $('view').scrollTop += y - viewHeight() / 2;
	drawPicture();
	say(describe(h));
}

// ---- what the pointer is at: { name, func, lines } ----
function at(event) {
	const r = $('graph').getBoundingClientRect(), x = event.clientX - r.left, y = event.clientY - r.top, width = r.width;
	if (S.view === 'graph') {
		const d = S.flip ? flame.deepest - Math.floor((y - yOfGraph(flame.deepest)) / BOX) : Math.floor((y - yOfGraph(0)) / BOX);
		const node = nodeAt(flame, x, d, width);
		return node < 0 ? null : { layout: flame, node };
	}
	if (S.view === 'callers' && callers) {
		const row = Math.floor((y - middle()) / BOX), l = row < 0 ? callers : callees, node = nodeAt(l, x, Math.abs(row), width);
		return node < 0 ? null : { layout: l, node };
	}
	if (S.view === 'order' && order) {
		const d = Math.floor((y - yOfOrder(0)) / BOX), t = order.span[0] + x / width * (order.span[1] - order.span[0]);
		const b = order.boxes.find(k => k.depth === d && t >= k.from && t < k.to);
		return b ? { box: b } : null;
	}
	return null;
}
const funcAt = h => !h ? -1 : h.box ? h.box.func : h.layout.forest.func[h.node];
const nameAt = h => h.box ? nameOf(h.box.func) : h.layout === flame ? labelOf(flame.forest, h.node) : nameOf(h.layout.forest.func[h.node]);
const shareWords = w => `${weightWords(w)}, ${percent(w, flame.total[0][0])}`;
const describe = h => h.box ? `${nameAt(h)}: from ${time(h.box.from)} for about ${time(h.box.to - h.box.from)}` : `${nameAt(h)}: ${DIFF ? comparedLines(h.layout, h.node).join('; ') : `total ${shareWords(h.layout.total[0][h.node])}; self ${shareWords(h.layout.self[0][h.node])}`}`;
// The stack down to a node, the outermost first.
function stackAt(h) {
	if (h.box) return [nameAt(h)];
	const list = [], f = h.layout.forest;
	for (let k = h.node; k > 0; k = f.parent[k]) list.unshift(labelOf(f, k));
	return h.layout === callers ? [...list.reverse(), nameOf(f.func[0])] : h.layout === callees ? [nameOf(f.func[0]), ...list] : list;
}
function kindWords(f) {
	if (f < 0) return S.group === 'program' ? 'program' : S.group === 'thread' ? 'thread' : '';
	return [head.kinds[fKind[f]][0], fileOf(f), sourceOf(f)].filter(Boolean).join(' · ');
}
function showTip(event, h) {
	const tip = $('tip');
	tip.hidden = !h;
	if (!h) return;
	const f = funcAt(h), name = make('b', nameAt(h)), kind = make('div'), list = [];
	kind.append(swatch(h.layout ? fillOf(h.layout, h.node) : colourOf(f)), kindWords(f));
	const line = text => list.push(make('div', text));
	if (h.box) { line(`From ${time(h.box.from)}`); line(`For about ${time(h.box.to - h.box.from)}`); } else if (DIFF) comparedLines(h.layout, h.node).forEach(line);
	else {
		const l = h.layout, w = l.total[0][h.node], samples = head.samples && head.sample > 1 ? Math.round(w / head.sample) : 0;
		line(`Total ${shareWords(w)}${l.root ? ` (${percent(w, l.total[0][l.root])} of the zoom)` : ''}${samples ? `, in ${plural(samples, 'sample')}` : ''}`);
		line(`Self ${shareWords(l.self[0][h.node])}`);
	}
	tip.replaceChildren(name, ...(kindWords(f) ? [kind] : []), ...list);
	placeTip(event);
}
function placeTip(event) {
	const tip = $('tip'), r = tip.getBoundingClientRect();
	tip.style.left = `${Math.max(4, event.clientX + 14 + r.width > innerWidth ? event.clientX - 14 - r.width : event.clientX + 14)}px`;
	tip.style.top = `${Math.max(4, event.clientY + 14 + r.height > innerHeight ? event.clientY - 14 - r.height : event.clientY + 14)}px`;
}
