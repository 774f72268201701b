'use strict';
(() => {
// ---- numbers and names in words ----
const root = document.documentElement, $ = id => document.getElementById(id);
const make = (name, text = '', of = '') => { const made = document.createElement(name); made.textContent = text; if (of) made.className = of; return made; };
const reals = n => new Float64Array(n), numbers = n => new Uint32Array(n), upTo = n => [...Array(n).keys()];
const added = (list, of = x => x) => list.reduce((sum, x) => sum + of(x), 0);
const largest = list => list.reduce((a, b) => Math.max(a, b), 0);
const when = (target, happens, act) => target.addEventListener(happens, act);
const BLANK = '\u202f';
function three(x, unit) {
	return x >= 999.5 ? '' : x.toFixed(x < 9.995 ? 2 : x < 99.95 ? 1 : 0) + BLANK + unit;
}
const two = n => String(Math.floor(n)).padStart(2, '0');
function time(ns) {
	if (!ns) return '0' + BLANK + 's';
	if (ns < 1000) return Math.round(ns) + BLANK + 'ns';
	if (ns < 59.95e9) return three(ns / 1e3, 'µs') || three(ns / 1e6, 'ms') || three(ns / 1e9, 's');
	const s = Math.round(ns / 1e9);
	return s >= 3600 ? `${whole(Math.floor(s / 3600))}${BLANK}h ${two(s % 3600 / 60)}${BLANK}min` :
		`${Math.floor(s / 60)}${BLANK}min ${two(s % 60)}${BLANK}s`;
}
const whole = n => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ',');
function count(n) {
	if (n < 100000) return whole(n);
	for (const unit of 'kMGTPE') {
		n /= 1000;
		if (n < 999.5) return three(n, unit);
	}
	return String(n);
}
function percent(part, of = 1) {
	const x = of ? 100 * part / of : 0;
	return (x <= 0 ? '0' : x < 0.01 ? '<0.01' : x < 0.995 ? x.toFixed(2) : x.toFixed(1)) + BLANK + '%';
}
const plural = (n, what) => `${count(n)} ${what}${n === 1 ? '' : 's'}`;

// Shorter names, each step shorter than the one before: without the type, templates folded, the last two parts, the
// last one, that without a sign of its templates.  What short_name.c does in a picture.
const SIGNS = ['<=>', '<<=', '>>=', '->*', '<<', '>>', '<=', '>=', '->', '()', '[]', '<', '>'];
function operatorAt(name, i) {
	if (!name.startsWith('operator', i)) return 0;
	const sign = SIGNS.find(s => name.startsWith(s, i + 8));
	return sign ? 8 + sign.length : 0;
}
function withoutTemplates(name) {
	let made = '';
	for (let i = 0; i < name.length;) {
		const sign = operatorAt(name, i);
		let end = 0, depth = 0;
		if (!sign && name[i] === '<')
			for (let k = i; k < name.length && !end;) {
				const skip = operatorAt(name, k);
				if (!skip && name[k] === '<') depth++;
				if (!skip && name[k] === '>' && name[k - 1] !== '-' && !--depth) end = k + 1;
				k += skip || 1;
			}
		if (end > i + 5) { made += '<…>'; i = end; } else { made += name.substr(i, sign || 1); i += sign || 1; }
	}
	return made;
}
function lastParts(name, parts) {
	const begins = [];
	let depth = 0;
	for (let i = 0; i + 1 < name.length; i++) {
		const skip = operatorAt(name, i);
		if (skip) { i += skip - 1; continue; }
		if (name.startsWith('operator ', i)) break; // to a type, which may have parts of its own
		if ('({<'.includes(name[i])) depth++;
		if (')}>'.includes(name[i])) depth--;
		if (!depth && name.startsWith('::', i)) { begins.push(i + 2); i++; }
	}
	if (begins.length) return name.slice(begins.length < parts ? 0 : begins[begins.length - parts]);
	const slash = name.lastIndexOf('/');
	return slash + 1 < name.length ? name.slice(slash + 1) : name;
}
// Where a name begins after the type that it returns: only functions of templates have one.
function afterType(name) {
	let depth = 0, from = 0, template = false;
	if ('[/'.includes(name[0])) return 0;
	for (let i = 0; i < name.length; i++) {
		const skip = operatorAt(name, i);
		if (skip) { i += skip - 1; continue; }
		if (name[i] === '<' && !depth) template = true;
		if ('({<'.includes(name[i])) depth++;
		if (')}'.includes(name[i]) || (name[i] === '>' && name[i - 1] !== '-')) depth--;
		if (depth || name[i] !== ' ') continue;
		if (name[i + 1] === '[' || name.endsWith('operator', i)) break;
		if (/(^| )(for|to|thunk)$/.test(name.slice(from, i))) return 0;
		if (name[i + 1] !== '<') { from = i + 1; template = false; }
	}
	return template ? from : 0;
}
// What pp_name_without_parameters() of function_name.c leaves.
function withoutParameters(name) {
	const last = name.lastIndexOf(')');
	let at = last, depth = 1;
	if (!/^( const| volatile| &&?| noexcept| \[clone [^\]]*\])*(@.*)?$/.test(name.slice(last + 1))) return name;
	while (depth && --at > 0) depth += (name[at] === ')') - (name[at] === '(');
	if (at <= 0 || (last === at + 1 && name.endsWith('operator', at)) || name.endsWith('(anonymous namespace)', last + 1)) return name;
	return name.slice(0, at);
}
function shorter(name) {
	const whole = name.slice(afterType(name)).replace(/::h[0-9a-f]{16}$/, '');
	const folded = withoutTemplates(whole.replaceAll('(anonymous namespace)', '{anonymous}')), last = lastParts(folded, 1);
	return [whole, folded, lastParts(folded, 2), last, last.replace(/ ?<…>/g, '') || last];
}
const steps = new Map();
// The longest of these that fits; else the last one, cut in the middle so that six letters are left at least.
function fitted(c, name, room) {
	if (room < 12) return '';
	if (!steps.has(name)) steps.set(name, shorter(name).map(text => [text, c.measureText(text).width]));
	const all = steps.get(name), fits = all.find(([, width]) => width <= room);
	if (fits) return fits[0];
	const [last, width] = all[all.length - 1], letters = [...last];
	for (let keep = Math.floor(letters.length * room / width); keep >= 6; keep--) {
		const head = Math.ceil(keep * 0.6), text = letters.slice(0, head).join('') + '…' + letters.slice(letters.length - keep + head).join('');
		if (c.measureText(text).width <= room) return text;
	}
	return '';
}
