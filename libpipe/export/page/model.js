// ---- what the page holds: perfpipe.page/1 ----
// Each event of the recording has a line of data; `head` is that of the one that is looked at.
const first = JSON.parse($('head').textContent);
const heads = [first, ...(first.more || []).map(more => ({ ...first, ...more }))];
const SIDES = first.sides, DIFF = SIDES > 1;
// Of several recordings of a side weights are those of one; what was judged of them, by families: frames, and functions by
// themselves and with what they call.
const RUNS = first.runs || [1, 1];
const JUDGED = first.judged && first.judged.map(list => new Map(list.map(([number, way, verdict, change, low, high]) => [number, { way, verdict, change, low, high }])));
let head = first, N, F, T, C, IS_TIME, WAITS;       // WAITS: a cell lasts from its tick for its weight
let edges;                                         // where the cells of each side begin, and the end
const weightText = w => IS_TIME ? time(w) : count(w);
const weightWords = w => IS_TIME ? time(w) : `${count(w)} ${head.noun}`;
class Damaged extends Error {}

async function inflate(event) {
	const text = atob($('data').textContent.trim().split('\n')[event] || ''), bytes = new Uint8Array(text.length);
	for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

// A column: numbers, seven bits a byte.
function column(bytes, from, size) {
	const end = from + size;
	let at = from;
	if (end > bytes.length) throw new Damaged();
	return {
		more: () => at < end,
		take() {
			let value = 0, unit = 1, byte;
			do {
				if (at >= end) throw new Damaged();
				byte = bytes[at++];
				value += (byte & 127) * unit;
				unit *= 128;
			} while (byte & 128);
			return value;
		},
		bytes(n) {
			if (at + n > end) throw new Damaged();
			at += n;
			return bytes.subarray(at - n, at);
		},
		done() { if (at !== end) throw new Damaged(); },
	};
}
const below = (value, most) => { if (!(value < most)) throw new Damaged(); return value; };

let names, files, sources, comms;
let fName, fFile, fKind, fSource, fLine, parent, depth, end, func, pids, tids, commOf, threadWhole, cTick, cThread, cNode, cWeight;
let exact;                                         // by side: what each node weighs itself, over the whole
let outermost;                                     // nodes whose function is not among their callers
let lastTick;
function makeRoom() {
	[N, F, T, C, IS_TIME] = [head.nodes, head.functions, head.threads, head.cells, head.unit === 'ns'];
	WAITS = head.waits && IS_TIME;
	[fName, fFile, fSource, fLine] = Array.from({ length: 4 }, () => numbers(F));
	fKind = new Uint8Array(F);
	[parent, func] = [new Int32Array(N), new Int32Array(N)];
	[depth, end, outermost] = [new Uint16Array(N), numbers(N), new Uint8Array(N)];
	[pids, tids, commOf] = Array.from({ length: 3 }, () => numbers(T));
	threadWhole = reals(T);
	[cTick, cWeight, cThread, cNode] = [reals(C), reals(C), numbers(C), numbers(C)];
	exact = [null, null];
	edges = DIFF ? [0, head.cells_before, C] : [0, C];
}

function readTexts(c, n) {
	const decoder = new TextDecoder(), list = [];
	let before = new Uint8Array(0);
	for (let i = 0; i < n; i++) {
		const same = c.take(), rest = c.take();
		if (same > before.length) throw new Damaged();
		const text = new Uint8Array(same + rest);
		text.set(before.subarray(0, same));
		text.set(c.bytes(rest), same);
		list.push(decoder.decode(text));
		before = text;
	}
	return list;
}
function readNodes(depths, functions) {
	const way = [0];
	depth[0] = 0; parent[0] = -1; func[0] = -1; end[0] = N;
	for (let i = 1; i < N; i++) {
		const up = depths.take();
		if (up > depth[i - 1]) throw new Damaged();
		depth[i] = depth[i - 1] + 1 - up;
		parent[i] = way[depth[i] - 1];
		way[depth[i]] = i;
		func[i] = below(functions.take(), F);
	}
	for (let i = N - 1; i > 0; i--) {
		end[i] = Math.max(end[i], i + 1);
		if (parent[i]) end[parent[i]] = Math.max(end[parent[i]], end[i]);
	}
	const inside = numbers(F);                     // 1 + the end of the outermost node that is open
	for (let i = 1; i < N; i++) {
		if (inside[func[i]] > i + 1) continue;
		outermost[i] = 1;
		inside[func[i]] = end[i] + 1;
	}
}
function readCells(ticks, threads, nodes, weights) {
	const last = numbers(T), ones = !weights.more();
	let tick = 0;
	// the same of all events
	lastTick = head.tick ? Math.floor(head.duration / head.tick) : 0;
	for (let i = 0; i < C; i++) {
		const t = below(threads.take(), T), step = nodes.take(), node = last[t] + (step % 2 ? -(step + 1) / 2 : step / 2);
		if (node < 0) throw new Damaged();
		last[t] = cNode[i] = below(node, N);
		if (i === edges[1]) tick = 0;
		cTick[i] = tick += ticks.take();
		lastTick = Math.max(lastTick, tick);
		cThread[i] = t;
		cWeight[i] = head.grain * (ones ? 1 : weights.take());
		threadWhole[t] += cWeight[i];
	}
}
function read(bytes) {
	makeRoom();
	const columns = [];
	let from = 0;
	for (const size of head.columns) { columns.push(column(bytes, from, size)); from += size; }
	if (from !== bytes.length) throw new Damaged();
	const [texts, functions, depths, nodeFunctions, threads, ticks, cellThreads, cellNodes, weights, ...self] = columns;
	[names, files, sources, comms] = head.texts.map(n => readTexts(texts, n));
	for (let i = 0; i < F; i++) {
		fName[i] = below(functions.take(), names.length);
		fFile[i] = below(functions.take(), files.length);
		fKind[i] = below(functions.take(), head.kinds.length);
		fSource[i] = below(functions.take(), sources.length + 1);
		fLine[i] = functions.take();
	}
	readNodes(depths, nodeFunctions);
	for (let i = 0; i < T; i++) {
		pids[i] = threads.take();
		tids[i] = threads.take();
		commOf[i] = below(threads.take(), comms.length);
	}
	readCells(ticks, cellThreads, cellNodes, weights);
	self.forEach((c, side) => {
		if (!c.more()) return;
		exact[side] = reals(N);
		for (let i = 0; i < N; i++) exact[side][i] = c.take() / RUNS[side];
	});
	columns.forEach(c => c.done());
	whole_ = { n: N, parent, func, depth, end, group: null };
	[pairsBy, forests] = [new Map(), new Map()];
	[fileRank, tints, byThread, opened, matched, focused, under] = [null, new Map(), null, new Set(), null, 0, null];
}

const nameOf = f => f < 0 ? 'all' : names[fName[f]];
const kindOf = f => f < 0 ? 6 : fKind[f];
const fileOf = f => f < 0 ? '' : files[fFile[f]];
const sourceOf = f => f < 0 || !fSource[f] ? '' : `${sources[fSource[f] - 1]}:${fLine[f]}`;
const threadName = t => `${comms[commOf[t]]} ${pids[t] !== tids[t] ? `${pids[t]}/` : ''}${tids[t]}`;

// ---- forests: the tree as a view has it ----
// A forest has nodes with parent, depth, end and func, callers first and the heaviest of one caller first over the
// whole recording, so that the order stays when the span does not.  `of(cell)` is a cell's node in it, and `from`,
// without cells, where the weight of a node goes.
function ancestors(p) {
	const d = new Uint16Array(p.length), e = numbers(p.length);
	for (let i = 1; i < p.length; i++) d[i] = d[p[i]] + 1;
	for (let i = p.length - 1; i >= 0; i--) {
		e[i] = Math.max(e[i], i + 1);
		if (i) e[p[i]] = Math.max(e[p[i]], e[i]);
	}
	return [d, e];
}
const groupNames = { program: c => comms[c], thread: threadName };
const groupOf = { program: t => commOf[t], thread: t => t };

class Builder {
	constructor() { this.parents = [-1]; this.funcs = [-1]; this.groups = [-1]; this.index = new Map(); }
	child(of, f, group = -1) {
		const key = (of * (F + 1) + f + 1) * (T + 2) + group + 1;
		let node = this.index.get(key);
		if (node === undefined) {
			node = this.parents.length;
			this.index.set(key, node);
			this.parents.push(of);
			this.funcs.push(f);
			this.groups.push(group);
		}
		return node;
	}
	// `self`: what each node weighs itself over the whole.  place[i] becomes the new number of node i.
	finish(self) {
		const n = this.parents.length, total = Float64Array.from(self), first = new Int32Array(n).fill(-1), next = new Int32Array(n);
		for (let i = n - 1; i > 0; i--) total[this.parents[i]] += total[i];
		const order = upTo(n).slice(1).sort((a, b) => total[a] - total[b] || b - a);
		for (const i of order) { next[i] = first[this.parents[i]]; first[this.parents[i]] = i; }
		const place = numbers(n), forest = { n, parent: new Int32Array(n), func: new Int32Array(n), group: new Int32Array(n) };
		let at = 0, made = 0;
		for (;;) {
			place[at] = made;
			forest.parent[made] = made ? place[this.parents[at]] : -1;
			forest.func[made] = this.funcs[at];
			forest.group[made++] = this.groups[at];
			if (first[at] >= 0) { at = first[at]; continue; }
			while (at && next[at] < 0) at = this.parents[at];
			if (!at) break;
			at = next[at];
		}
		[forest.depth, forest.end] = ancestors(forest.parent);
		forest.place = place;
		return forest;
	}
}
let whole_;

// The pairs of group and node that cells have; pairOf[i] is that of cell i.
let pairsBy;
function pairs(by) {
	if (pairsBy.has(by)) return pairsBy.get(by);
	const made = { of: numbers(C), group: [], node: [], weight: [] }, index = new Map();
	for (let i = 0; i < C; i++) {
		const group = groupOf[by](cThread[i]), key = group * N + cNode[i];
		let pair = index.get(key);
		if (pair === undefined) {
			pair = made.group.length;
			index.set(key, pair);
			made.group.push(group);
			made.node.push(cNode[i]);
			made.weight.push(0);
		}
		made.of[i] = pair;
		made.weight[pair] += cWeight[i];
	}
	pairsBy.set(by, made);
	return made;
}
function wholeSelf(side) {
	if (exact[side]) return exact[side];
	const self = reals(N);
	for (let i = edges[side]; i < edges[side + 1]; i++) self[cNode[i]] += cWeight[i];
	return exact[side] = self;
}
const chain = [];
let forests;
function forest(by, join, reverse) {
	const key = `${by} ${join} ${reverse}`;
	if (!by && !join && !reverse) return whole_;
	if (forests.has(key)) return forests.get(key);
	const b = new Builder(), of = by ? pairs(by) : null, n = of ? of.node.length : N, to = numbers(n);
	const memo = new Int32Array(N), stamp = new Int32Array(N).fill(-1);
	const step = (node, f) => join && node && b.funcs[node] === f ? node : b.child(node, f);
	const order = upTo(n);
	if (of) order.sort((x, y) => of.group[x] - of.group[y] || of.node[x] - of.node[y]);
	const self0 = wholeSelf(0), self1 = DIFF ? wholeSelf(1) : null;
	for (const i of order) {
		const group = of ? of.group[i] : -1, node = of ? of.node[i] : i;
		let at = of ? b.child(0, -1, group) : 0;
		if (!of && reverse && !self0[node] && !(self1 && self1[node])) continue;
		if (reverse) {
			for (let k = node; k > 0; k = parent[k]) at = step(at, func[k]);
		} else {
			let k = node;
			for (chain.length = 0; k > 0 && stamp[k] !== group + 1; k = parent[k]) chain.push(k);
			if (k > 0) at = memo[k];
			while (chain.length) {
				const c = chain.pop();
				memo[c] = at = step(at, func[c]);
				stamp[c] = group + 1;
			}
		}
		to[i] = at;
	}
	const self = reals(b.parents.length);
	for (let i = 0; i < n; i++) self[to[i]] += of ? of.weight[i] : self0[i] + (self1 ? self1[i] : 0);
	const made = b.finish(self);
	for (let i = 0; i < n; i++) to[i] = made.place[to[i]];
	made.to = to;
	made.pairs = of;
	forests.set(key, made);
	return made;
}

// ---- what is shown: a span, threads, functions ----
let shown;                                         // { base: [self of each node, by side], total, thread }
function firstCell(tick, side = 0) {
	let low = edges[side], high = edges[side + 1];
	while (low < high) { const middle = low + high >> 1; if (cTick[middle] < tick) low = middle + 1; else high = middle; }
	return low;
}
// What a cell weighs; of a wait, where there is a span that cuts it, the part of it that lies there.
function weightIn(i, span) {
	if (!span) return cWeight[i];
	const at = cTick[i] * head.tick;
	return Math.max(0, Math.min(at + cWeight[i], span[1]) - Math.max(at, span[0]));
}
// Which nodes have all functions of `only` on their way, and none of `without`.
function passing(only, without) {
	if (!only.length && !without.length) return null;
	const pass = new Uint8Array(N), have = numbers(N), bits = new Map(only.map((f, i) => [f, 1 << i % 31]));
	const all = only.reduce((sum, f) => sum | bits.get(f), 0), no = new Set(without), bad = new Uint8Array(N);
	for (let i = 1; i < N; i++) {
		have[i] = have[parent[i]] | (bits.get(func[i]) || 0);
		bad[i] = bad[parent[i]] || no.has(func[i]) ? 1 : 0;
		pass[i] = (have[i] & all) === all && !bad[i] ? 1 : 0;
	}
	if (!only.length) pass[0] = 1;
	return pass;
}
// What of each side counts as 1, as compare_sides() of flame_layout.c has it.
const seconds = side => (S[SPANS[side]] ? S[SPANS[side]][1] - S[SPANS[side]][0] : head.durations[side]) / 1e9;
function perOf(total) {
	if (!DIFF) return total;
	const of = total.map((w, side) => head.by === 'time' ? seconds(side) : head.by === 'count' ? 1 : w);
	const most = Math.max(...of.map((k, side) => k > 0 ? total[side] / k : 0));
	return of.map(k => k * most);
}
function select(s) {
	const pass = passing(s.only, s.without), some = s.threads.size ? new Uint8Array(T) : null, spans = SPANS.map(name => s[name]).slice(0, SIDES);
	// waits that began before may last until then
	const cuts = spans.map(span => WAITS ? span : null), from = spans.map((span, side) => span && !WAITS ? firstCell(span[0] / head.tick, side) : edges[side]);
	const to = spans.map((span, side) => span ? firstCell(span[1] / head.tick, side) : edges[side + 1]);
	const base = [reals(N), DIFF ? reals(N) : null], thread = reals(T);
	s.threads.forEach(t => { some[t] = 1; });
	for (let side = 0; side < SIDES; side++) {
		const limited = C && (spans[side] || some), cut = cuts[side], self = limited ? null : wholeSelf(side);
		for (let i = 0; i < N && !limited; i++) if (!pass || pass[i]) base[side][i] = self[i];
		for (let i = from[side]; i < to[side]; i++) {
			if (pass && !pass[cNode[i]]) continue;
			const weight = weightIn(i, cut);
			thread[cThread[i]] += weight;
			if (limited && (!some || some[cThread[i]])) base[side][cNode[i]] += weight;
		}
	}
	shown = { base, pass, some, cuts, from, to, thread, total: base.map(self => self ? added(self) : 0) };
	shown.per = perOf(shown.total.slice(0, SIDES));
}
// Whether a cell is of a thread and a stack that are shown, whatever the span is.
const isShown = i => (!shown.some || shown.some[cThread[i]]) && (!shown.pass || shown.pass[cNode[i]]);
function sums(f, self) {
	const total = Float64Array.from(self);
	for (let i = f.n - 1; i > 0; i--) total[f.parent[i]] += total[i];
	return total;
}
// What each node of a forest weighs of what is shown, itself and in all, by side.
function weigh(f) {
	const self = [];
	for (let side = 0; side < SIDES; side++) {
		if (f === whole_) { self.push(shown.base[side]); continue; }
		const w = reals(f.n);
		if (f.pairs)
			for (let i = shown.from[side]; i < shown.to[side]; i++) {
				if (isShown(i)) w[f.to[f.pairs.of[i]]] += weightIn(i, shown.cuts[side]);
			}
		else for (let i = 0; i < N; i++) w[f.to[i]] += shown.base[side][i];
		self.push(w);
	}
	return { self, total: self.map(w => sums(f, w)) };
}
// Of each function: what it weighs itself, and with all it calls; recursion counts once.
function functionSums() {
	const made = { self: [], total: [] };
	for (let side = 0; side < SIDES; side++) {
		const self = reals(F), total = reals(F), all = sums(whole_, shown.base[side]);
		for (let i = 1; i < N; i++) {
			self[func[i]] += shown.base[side][i];
			if (outermost[i]) total[func[i]] += all[i];
		}
		made.self.push(self);
		made.total.push(total);
	}
	return made;
}
