// ---- what is looked at, and the link to it ----
const VIEWS = { graph: 'Flame graph', functions: 'Functions', callers: 'Callers & callees', order: 'Time order' };
const ORDER = Object.keys(VIEWS);
const initial = () => ({
	view: head.chart && C ? 'order' : 'graph', span: null, after: null, threads: new Set(), search: '', zoom: [], pivot: -1, only: [], without: [],
	group: head.group && C ? head.group : C && comms.length > 1 ? 'program' : '', colour: '', join: false, reverse: head.reverse,
	flip: head.flame, width: '', heat: head.duration >= 60e9 && !DIFF, theme: '', kind: -1, reload: false,
});
// The names of spans, by side.
const SPANS = ['span', 'after'], WIDTHS = ['before', 'after'];
let S;

// Where a page is made again, functions and groups may have other numbers then: links have their names, up to so many
// letters, and what names add up to for the rest.
const LINK_MOST = 1500;
const nameInLink = name => `:${name.replace(/[%.]/g, c => c === '.' ? '%2E' : '%25')}`, sumInLink = name => `~${hash(name).toString(36)}`;
function inLink(all) {
	let left = LINK_MOST;
	return all.map(name => (left -= nameInLink(name).length) < 0 ? sumInLink(name) : nameInLink(name));
}
const isNamed = (step, name) => step === (step[0] === '~' ? sumInLink(name) : nameInLink(name));
const functionsInLink = list => head.every ? inLink(list.map(nameOf)) : list;
// -1: there is none.
const functionInLink = step => /^\d+$/.test(step) ? +step < F ? +step : -1 : fName.findIndex(name => isNamed(step, names[name]));

// A step of a zoom: a function, or g and a group.
const groupMark = (f, node) => f.group && f.group[node] >= 0 ? 'g' : '';
const stepOf = (f, node) => groupMark(f, node) + (f.group && f.group[node] >= 0 ? f.group : f.func)[node];
// ---- which event ----
let current = 0, loading = 0;
const eventName = k => heads[k].event || `event ${k + 1}`;
const eventInLink = () => Math.max(0, heads.findIndex((_, k) => eventName(k) === new URLSearchParams(location.hash.slice(1)).get('e')));
// False: another one was asked for in the meantime.
async function load(k) {
	const mine = ++loading, bytes = await inflate(k);
	if (mine !== loading) return false;
	[current, head] = [k, heads[k]];
	read(bytes);
	return true;
}
// What is chosen is chosen of another event, too, as far as that has it: functions and threads by their names.
const functionKey = f => `${nameOf(f)}\n${fileOf(f)}\n${kindOf(f)}`;
const stepKey = step => step[0] === 'g' ? `g${groupNames[S.group](+step.slice(1))}` : `f${functionKey(+step)}`;
async function chooseEvent(k) {
	const { group } = S, usual = S.group === initial().group, lists = [S.only, S.without, S.pivot < 0 ? [] : [S.pivot]].map(list => list.map(functionKey));
	const named = head.every > 0, path = S.zoom, zoomed = named ? [] : path.map(stepKey), threads = new Set([...S.threads].map(threadName));
	if (!await load(k)) return;
	const numbers = new Map(upTo(F).map(f => [functionKey(f), f])), known = list => list.map(key => numbers.get(key)).filter(f => f !== undefined);
	const to = initial(), [only, without, [pivot = -1]] = lists.map(known), steps = [];
	const groups = group && C ? new Map(upTo(T).map(groupOf[group]).map(g => [groupNames[group](g), g])) : new Map();
	for (const key of zoomed) {
		const n = key[0] === 'g' ? groups.get(key.slice(1)) : numbers.get(key.slice(1));
		if (n === undefined) break;
		steps.push(key[0] === 'g' ? `g${n}` : String(n));
	}
	fitEvent();
	go({
		only, without, pivot, zoom: named ? path : steps, kind: -1, group: usual ? to.group : C ? group : '', span: S.span && C ? clip(S.span) : null,
		threads: new Set(upTo(T).filter(t => threads.has(threadName(t)))), view: S.view === 'order' && !C ? 'graph' : S.view,
	});
}

function pathTo(f, node) {
	const path = [];
	for (; node > 0; node = f.parent[node]) path.unshift(node);
	return head.every ? inLink(path.map(k => labelOf(f, k))).map((name, i) => groupMark(f, path[i]) + name) : path.map(k => stepOf(f, k));
}
const isStep = (f, node, step) => /^g?\d/.test(step) ? step === stepOf(f, node) :
	step[0] === 'g' === !!groupMark(f, node) && isNamed(step.replace(/^g/, ''), labelOf(f, node));
// As far as a path leads.
function follow(f, path) {
	let at = 0;
	for (const step of path) {
		let found = -1;
		for (let k = at + 1; k < f.end[at] && found < 0; k = f.end[k]) if (isStep(f, k, step)) found = k;
		if (found < 0) break;
		at = found;
	}
	return at;
}

// Where its number was used twice, or may be on the next page, with its process.
const threadKey = t => head.every || tids.filter(tid => tid === tids[t]).length > 1 ? `${pids[t]}/${tids[t]}` : tids[t];
const SPAN_KEYS = { span: 't', after: 'ta' }, FLAG_KEYS = { join: 'j', reverse: 'r', flip: 'up', heat: 'h', reload: 'l' };
function writeLink(replace) {
	const d = initial(), parts = [], add = (key, value) => parts.push(`${key}=${encodeURIComponent(value)}`);
	if (current) add('e', eventName(current));
	if (S.view !== d.view) add('v', S.view);
	for (const [name, key] of Object.entries(SPAN_KEYS)) if (S[name]) add(key, S[name].map(t => (t / 1e9).toFixed(6)).join('-'));
	if (S.threads.size) add('th', [...S.threads].map(threadKey).join('.'));
	if (S.search) add('q', S.search);
	if (S.zoom.length) add('z', S.zoom.join('.'));
	if (S.pivot >= 0) add('f', functionsInLink([S.pivot])[0]);
	if (S.only.length) add('o', functionsInLink(S.only).join('.'));
	if (S.without.length) add('x', functionsInLink(S.without).join('.'));
	if (S.group !== d.group) add('g', S.group || 'none');
	if (S.colour) add('c', S.colour);
	if (S.width) add('w', S.width);
	for (const [name, key] of Object.entries(FLAG_KEYS)) if (S[name] !== d[name]) add(key, S[name] ? 1 : 0);
	if (S.theme) add('m', S.theme);
	const hash = parts.length ? `#${parts.join('&')}` : '#';
	if (hash !== (location.hash || '#')) history[replace ? 'replaceState' : 'pushState'](null, '', hash);
}
// What is not known, or impossible, is dropped.
function readLink() {
	const s = initial(), p = new URLSearchParams(location.hash.slice(1));
	const functions = key => (p.get(key) || '').split('.').filter(f => /^(\d+$|[:~])/.test(f)).map(functionInLink).filter(f => f >= 0);
	if (ORDER.includes(p.get('v')) && (p.get('v') !== 'order' || (C && !DIFF))) s.view = p.get('v');
	for (const name of SPANS.slice(0, SIDES)) {
		const span = /^([\d.]+)-([\d.]+)$/.exec(p.get(SPAN_KEYS[name]) || '');
		if (span && C) s[name] = clip([span[1] * 1e9, span[2] * 1e9]);
	}
	const wanted = new Set((p.get('th') || '').split('.'));
	for (let t = 0; t < T; t++) if (wanted.has(`${pids[t]}/${tids[t]}`) || wanted.has(String(tids[t]))) s.threads.add(t);
	s.search = (p.get('q') || '').slice(0, 1500);
	s.zoom = (p.get('z') || '').split('.').filter(step => /^g?(\d+$|[:~])/.test(step)).slice(0, 5000);
	[s.pivot] = [...functions('f'), -1];
	s.only = functions('o');
	s.without = functions('x');
	if (p.get('g') === 'none') s.group = ''; else if (C && groupNames[p.get('g')]) s.group = p.get('g');
	if (p.get('c') === 'file') s.colour = 'file';
	if (DIFF && WIDTHS.includes(p.get('w'))) s.width = p.get('w');
	for (const [name, key] of Object.entries(FLAG_KEYS)) if (p.has(key) && (head.every || name !== 'reload') && !(DIFF && name === 'heat')) s[name] = p.get(key) === '1';
	if (['light', 'dark'].includes(p.get('m'))) s.theme = p.get('m');
	return s;
}
const fullSpan = () => (lastTick + 1) * head.tick;
function clip([from, to]) {
	const [a, b] = [Math.max(0, Math.min(from, to)), Math.min(fullSpan(), Math.max(from, to))].map(Math.round); // so are weights of parts
	return b > a && isFinite(a) && isFinite(b) ? [a, b] : null;
}
// The one way to change what is looked at.
function go(changes, replace = false) {
	Object.assign(S, changes);
	writeLink(replace);
	update();
}
// One step back, of what there is.
function back() {
	if (!$('menu').hidden) closeMenu();
	else if (S.search) { $('search').value = ''; go({ search: '' }, true); $('search').blur(); }
	else if (S.zoom.length) go({ zoom: [] });
	else if (S.kind >= 0) go({ kind: -1 }, true);
	else if (S.span || S.after) go({ span: null, after: null });
	else if (S.threads.size) go({ threads: new Set() });
	else if (S.only.length || S.without.length) go({ only: [], without: [] });
}
const limits = () => [
	...SPANS.map((name, side) => S[name] && [`${!DIFF ? '' : side ? 'after: ' : 'before: '}${time(S[name][0])} to ${time(S[name][1])}`, { [name]: null }]),
	S.threads.size && [S.threads.size === 1 ? threadName([...S.threads][0]) : `${S.threads.size} threads`, { threads: new Set() }],
	...S.only.map(f => [`with ${nameOf(f)}`, { only: S.only.filter(g => g !== f) }]),
	...S.without.map(f => [`without ${nameOf(f)}`, { without: S.without.filter(g => g !== f) }]),
	S.zoom.length && S.view === 'graph' && [`zoomed to ${labelOf(flame.forest, flame.root)}`, { zoom: [] }],
].filter(Boolean);
function button(text, act, title) {
	const b = make('button', text);
	if (title) { b.title = title; b.setAttribute('aria-label', title); }
	when(b, 'click', act);
	return b;
}
function sayShown() {
	const p = $('shown'), all = limits(), whole = added(wholeSelf(0));
	p.replaceChildren('Showing ' + (DIFF ? `${weightWords(shown.total[0])} before, ${weightWords(shown.total[1])} after` :
		all.some(([, change]) => !change.zoom) ? `${weightWords(shown.total[0])}, ${percent(shown.total[0], whole)} of ${weightWords(whole)}:` :
		`all ${weightWords(whole)}`));
	if (S.view === 'order' && order && order.thread >= 0 && T > 1) p.append(` · ${threadName(order.thread)}${S.threads.size === 1 ? '' : ', the busiest thread: choose another above'}`);
	for (const [text, change] of all) p.append(button(`${text} ✕`, () => go(change), `Remove: ${text}`));
}
function resetAll() {
	const { theme, heat, group, colour, join, reverse, flip, width, view, reload } = S;
	$('search').value = '';
	go(Object.assign(initial(), { theme, heat, group, colour, join, reverse, flip, width, view, reload }));
}

// ---- colours ----
const FILES = [[0xeeba82, 0x5b3501], [0x81adfd, 0x0f4e94], [0xb4f5e2, 0x587e62], [0xffeb94, 0x6e5906], [0xc094aa, 0x995faa], [0xf0a3a0, 0x8c3f42], [0xbcc98f, 0x4d5c2b]];
const parts = colour => [colour >> 16 & 255, colour >> 8 & 255, colour & 255];
function mix(from, to, share) {
	const a = parts(from), b = parts(to);
	return a.map((v, i) => Math.round(v + (b[i] - v) * share)).reduce((sum, v) => sum << 8 | v, 0);
}
const css = colour => `#${colour.toString(16).padStart(6, '0')}`;
function hash(text) {
	let h = 2166136261;
	for (const byte of new TextEncoder().encode(text)) h = Math.imul(h ^ byte, 16777619);
	return h >>> 0;
}
const [likesDark, forces] = ['prefers-color-scheme: dark', 'forced-colors: active'].map(what => matchMedia(`(${what})`));
let dark = false, forced = false, tints = new Map(), fileRank = null;
// Of what ends with a light colour and a dark one.
const tone = of => of[of.length - (dark ? 1 : 2)], kindColour = kind => tone(head.kinds[kind]);
function topFiles() {
	if (fileRank) return fileRank;
	const weight = reals(files.length), self = wholeSelf(0);
	for (let i = 1; i < N; i++) weight[fFile[func[i]]] += self[i];
	fileRank = new Map(Array.from(weight.keys()).filter(f => files[f] && weight[f]).sort((a, b) => weight[b] - weight[a]).slice(0, FILES.length).map((f, i) => [f, i]));
	return fileRank;
}
const rankOf = f => topFiles().get(fFile[f]) ?? FILES.length, fileColour = rank => rank < FILES.length ? tone(FILES[rank]) : kindColour(5);
function colourOf(f) {
	if (tints.has(f)) return tints.get(f);
	const shade = f < 0 ? 2 : hash(nameOf(f)) % 3, base = S.colour && f >= 0 ? fileColour(rankOf(f)) : kindColour(kindOf(f));
	const colour = css(shade === 0 ? mix(base, 0xffffff, dark ? 0.05 : 0.1) : shade === 1 ? mix(base, 0, dark ? 0.08 : 0.04) : base);
	tints.set(f, colour);
	return colour;
}
function setTheme() {
	root.className = S.theme;
	$('theme').textContent = `Theme: ${S.theme || 'system'}`;
	// whose colours are forced has those of the system, whichever theme was chosen
	forced = forces.matches;
	dark = S.theme && !forced ? S.theme === 'dark' : likesDark.matches;
	tints = new Map();
}
const styles = getComputedStyle(root), style = name => styles.getPropertyValue(name).trim();
