// ---- tables, the legend, the menu, search ----
let functionsOf = null, sortBy = 'self', sortUp = false, showAll = false;
function heaviestFunction() {
	const { self } = functionSums();
	let best = -1;
	for (const of of self) if (best < 0) of.forEach((w, f) => { if (w > (of[best] || 0)) best = f; });
	return best;
}
function swatch(colour, more = '') {
	const made = make('span', '', `swatch${more}`);
	made.style.backgroundColor = colour;
	return made;
}
function cell(text, number) {
	const td = make('td', '', number ? 'n' : '');
	td.append(text);
	return td;
}
function shareCell(share, most = 1, text = percent(share)) {
	const td = cell(text, true), bar = make('i');
	bar.style.width = `${Math.max(0, Math.min(1, share / most)) * 100}%`;
	td.append(bar);
	return td;
}
function functionCell(f, act) {
	const row = make('div');
	row.append(swatch(colourOf(f)), button(nameOf(f), act));
	return cell(row);
}
function fileCell(f) {
	const td = cell(fileOf(f).split('/').pop());
	td.title = fileOf(f);
	td.className = 'file';
	return td;
}
// A time has its unit.
const unit = () => IS_TIME ? '' : `, ${head.noun}`;
const columns = () => DIFF ? comparedColumns() : { self: `Self${unit()}`, total: `Total${unit()}` };
// The table as it is sorted, with exact weights.
function tableText(self, total) {
	const unit = IS_TIME ? 'ns' : head.noun, sides = DIFF ? [', before', ', after'] : [''];
	const top = [...sides.flatMap(side => [`Self${side} (${unit})`, `Total${side} (${unit})`]), ...JUDGED ? JUDGED_TOP : [], 'Function', 'File'];
	return [top, ...functionsOf.map(({ f, name, file }) => [...sides.flatMap((_, side) => [self[side][f], total[side][f]]), ...JUDGED ? judgedNumbers(JUDGED[1].get(f)) : [], name, file])].map(row => row.join('\t')).join('\n') + '\n';
}
function drawFunctions() {
	const { self, total } = functionSums(), box = $('table'), all = shown.total;
	const list = [];
	for (let f = 0; f < F; f++) {
		if (!total.some(t => t[f] > 0) || (matched && !matched[f])) continue;
		const row = { f, self: self[0][f], total: !DIFF && total[0][f], name: nameOf(f), file: fileOf(f) };
		if (DIFF) compareRow(row, self, total);
		list.push(row);
	}
	if (DIFF && sortBy === 'self') sortBy = JUDGED ? 'verdict' : 'points';
	const key = sortBy, way = sortUp ? 1 : -1;
	const value = (DIFF && COMPARED_BY[key]) || (row => row[key]);
	list.sort((a, b) => typeof value(a) === 'string' ? way * -a[key].localeCompare(b[key]) : way * (value(a) - value(b)) || b.total - a.total || a.f - b.f);
	functionsOf = list;
	if (!list.length) { box.replaceChildren(make('p', shown.total[0] ? 'No function matches.' : NOTHING, 'empty')); return; }
	const table = make('table'), top = table.createTHead().insertRow(), body = table.createTBody();
	const header = (name, text, number, span = 1) => {
		const th = make('th', '', number ? 'n' : '');
		th.colSpan = span;
		th.setAttribute('aria-sort', sortBy === name ? sortUp ? 'ascending' : 'descending' : 'none');
		th.append(button(text + (sortBy === name ? sortUp ? ' ▴' : ' ▾' : ''), () => { sortUp = sortBy === name && !sortUp; sortBy = name; drawFunctions(); }));
		top.append(th);
	};
	for (const [name, text] of Object.entries(columns())) header(name, text, true, DIFF ? 1 : 2);
	header('name', 'Function');
	header('file', 'File');
	const [most, mostTotal] = ['self', 'total'].map(of => largest(list.map(row => row[of])) / (all[0] || 1) || 1);
	for (const row of showAll ? list : list.slice(0, 300)) {
		const tr = body.insertRow();
		if (DIFF) tr.append(...comparedCells(row));
		else tr.append(cell(weightText(row.self), true), shareCell(all[0] ? row.self / all[0] : 0, most), cell(weightText(row.total), true), shareCell(all[0] ? row.total / all[0] : 0, mostTotal));
		tr.append(functionCell(row.f, () => go({ view: 'callers', pivot: row.f })), fileCell(row.f));
	}
	const after = make('p');
	after.append(button('Copy table', () => copy(tableText(self, total), 'The table')));
	if (!showAll && list.length > 300) after.append(' ', button(`Show all ${plural(list.length, 'function')}`, () => { showAll = true; drawFunctions(); }));
	box.replaceChildren(table, after);
}
function directCalls(l) {
	const f = l.forest, list = [];
	for (let k = 1; k < f.end[0]; k = f.end[k]) if (l.total.some(t => t[k] > 0)) list.push([f.func[k], l.total[0][k]]);
	return list.sort((a, b) => b[1] - a[1]).slice(0, 50);
}
function drawBeside(pivot) {
	const box = $('beside');
	if (pivot < 0 || !callers) { box.replaceChildren(); return; }
	const title = make('h2', nameOf(pivot)), about = make('p', '', 'soft'), list = [title, about], total = callees.total[0][0];
	about.textContent = `${kindWords(pivot)}${kindWords(pivot) ? '; ' : ''}${DIFF ? sideWords(callees, 0) : `total ${weightWords(total)}, ${percent(total, shown.total[0])}; self ${weightWords(callees.self[0][0])}`}`;
	for (const [name, l] of [['Called by', callers], ['Calls', callees]]) {
		const h = make('h2', name + unit()), table = make('table'), body = table.createTBody();
		for (const [f, w] of directCalls(l)) body.insertRow().append(cell(weightText(w), true), cell(percent(w, total), true), functionCell(f, () => go({ pivot: f })));
		if (!body.rows.length) body.insertRow().append(cell(name === 'Calls' ? 'nothing that was sampled' : 'nothing: stacks begin here'));
		list.push(h, table);
	}
	box.replaceChildren(...list);
}

// ---- the legend ----
function drawLegend() {
	const box = $('legend'), list = [];
	if (DIFF) { box.replaceChildren(...comparedLegend()); return; }
	const byFile = S.colour, n = byFile ? FILES.length + 1 : head.kinds.length - 1, weight = reals(n), total = shown.total[0], has = new Uint8Array(n), all = wholeSelf(0);
	for (let i = 1; i < N; i++) {
		if (!all[i] && !shown.base[0][i]) continue;
		const k = byFile ? rankOf(func[i]) : Math.min(kindOf(func[i]), n - 1);
		has[k] = 1;
		weight[k] += shown.base[0][i];
	}
	const label = k => byFile ? k < FILES.length ? files[[...topFiles().keys()][k]].split('/').pop() : 'other files' : head.kinds[k][0];
	const title = `Self ${IS_TIME ? 'time' : 'weight'} by ${byFile ? 'file' : 'kind'}`;
	box.setAttribute('aria-label', title);
	for (let k = 0; k < n; k++) {
		if (!has[k] && S.kind !== k) continue; // the same ones, whatever is shown
		const b = button('', () => go({ kind: S.kind === k ? -1 : k }, true));
		const share = make('i', percent(weight[k], total));
		b.append(swatch(css((byFile ? fileColour : kindColour)(k))), `${label(k)} `, share);
		b.setAttribute('aria-pressed', S.kind === k);
		list.push(b);
	}
	box.replaceChildren(`${title}:`, ...list);
}

// ---- search ----
let searchError = '';
function find() {
	const text = S.search, regex = /^\/(.+)\/$/.exec(text);
	let test;
	searchError = '';
	matched = null;
	if (!text) return;
	try { const r = regex && new RegExp(regex[1], 'i'), low = text.toLowerCase(); test = regex ? n => r.test(n) : n => n.toLowerCase().includes(low); } catch { searchError = 'Not a valid regular expression'; return; }
	const hit = names.map(test);
	matched = new Uint8Array(F);
	for (let f = 0; f < F; f++) matched[f] = hit[fName[f]] ? 1 : 0;
}
// Of matches inside of each other the outermost counts.
function sayFound() {
	const out = $('found');
	out.classList.toggle('wrong', searchError !== '');
	if (!matched) { out.textContent = searchError; return; }
	const total = sums(whole_, shown.base[0]), seen = new Set();
	let sum = 0;
	for (let i = 1; i < N;) {
		if (!matched[func[i]] || !total[i]) { i++; continue; }
		sum += total[i];
		for (const stop = end[i]; i < stop; i++) if (matched[func[i]] && total[i]) seen.add(func[i]);
	}
	out.textContent = seen.size ? `${plural(seen.size, 'function')}, ${percent(sum, shown.total[0])}` : 'No function matches';
}
let matchAt = -1;
function nextMatch(step) {
	if (!matched || S.view !== 'graph') return;
	const f = flame.forest, list = [];
	for (let i = 1; i < f.n; i++) if (f.func[i] >= 0 && matched[f.func[i]] && flame.width[i] > 0) list.push(i);
	if (!list.length) return;
	list.sort((a, b) => flame.width[b] - flame.width[a] || a - b);
	matchAt = (matchAt + step + list.length) % list.length;
	focus(list[matchAt]);
}

// ---- copy, menu ----
function copy(text, what) {
	const done = () => say(`${what} is copied.`);
	if (navigator.clipboard && window.isSecureContext) { navigator.clipboard.writeText(text).then(done, () => say('The browser did not allow to copy.')); return; }
	const area = make('textarea');
	area.value = text;
	document.body.append(area);
	area.select();
	document.execCommand('copy');
	area.remove();
	done();
}
const actions = h => {
	const f = funcAt(h), list = [];
	if (f >= 0) list.push(['Callers and callees', 's', () => go({ view: 'callers', pivot: f })]);
	if (h.layout === flame) list.push(['Zoom', 'z', () => zoom(h.node)]);
	if (f >= 0) list.push(
		['Only stacks with this', 'f', () => go({ only: [...new Set([...S.only, f])], zoom: [] })],
		['Without stacks with this', 'x', () => go({ without: [...new Set([...S.without, f])], zoom: [] })],
		['Search for this', 'm', () => { $('search').value = nameOf(f); go({ search: nameOf(f) }, true); }],
		['Copy name', 'c', all => copy(all ? nameAt(h) : withoutParameters(nameAt(h)), all ? 'The whole name' : 'The name')]);
	list.push(['Copy stack', 'C', () => copy(stackAt(h).join('\n'), 'The stack')]);
	return list;
};
function openMenu(h, x, y) {
	const menu = $('menu');
	menu.replaceChildren(...actions(h).map(([text, key, act]) => {
		const b = button('', e => { closeMenu(); act(e.shiftKey); }), k = make('kbd', key);
		b.append(text, k);
		b.setAttribute('role', 'menuitem');
		return b;
	}));
	menu.hidden = false;
	const r = menu.getBoundingClientRect();
	menu.style.left = `${Math.min(x, innerWidth - r.width - 4)}px`;
	menu.style.top = `${Math.min(y, innerHeight - r.height - 4)}px`;
	$('tip').hidden = true;
	menu.firstChild.focus();
}
function closeMenu() { $('menu').hidden = true; $('graph').focus(); }
