// ---- together ----
const say = text => { $('status').textContent = text; };
function zoom(node) { focused = node; go({ zoom: pathTo(flame.forest, node) }); say(describe({ layout: flame, node })); }
const focus = node => hold({ layout: flame, node });
// A page that is made again takes itself anew, but not while one has something at hand.
let reloading = 0;
function reloadLater() {
	clearTimeout(reloading);
	if (S.reload) reloading = setTimeout(() => document.hidden || drag || !$('menu').hidden || $('keys').open ? reloadLater() : location.reload(), head.every);
}
let drawn = '';
// What is chosen by a control of the same name, and what that ends.
const CHOICES = [['group', 'value', { zoom: [] }], ['colour', 'value', { kind: -1 }], ['width', 'value'], ['join', 'checked', { zoom: [] }], ['reverse', 'checked', { zoom: [] }], ['reload', 'checked']];
function update() {
	setTheme();
	find();
	select(S);
	const tabs = $('tabs').children, first = drawn !== S.view + S.flip;
	ORDER.forEach((view, i) => { tabs[i].setAttribute('aria-selected', view === S.view); tabs[i].tabIndex = view === S.view ? 0 : -1; });
	for (const [id, of] of CHOICES) $(id)[of] = S[id];
	$('width-label').hidden = !DIFF || !['graph', 'callers'].includes(S.view);
	$('group-label').hidden = !C || S.view !== 'graph';
	$('colour-label').hidden = DIFF || files.length < 2;
	for (const id of ['join', 'reverse']) $(id).parentElement.hidden = S.view !== 'graph';
	$('flip').hidden = S.view !== 'graph';
	$('tall').hidden = S.view === 'functions';
	buildGraph();
	const pivot = S.view === 'callers' ? buildCallers() : -1;
	if (S.view === 'order') buildOrder(); else order = null;
	$('table').replaceChildren();
	drawBeside(S.view === 'callers' ? pivot : -1);
	if (S.view === 'functions') drawFunctions();
	sayShown();
	sayFound();
	drawLegend();
	if (C) { drawThreads(); for (let side = 0; side < SIDES; side++) drawLine(side); }
	$('graph').setAttribute('aria-label', `${VIEWS[S.view]}. Arrow keys go from frame to frame, Enter zooms, question mark shows all keys; the table in Functions has all numbers.`);
	if (S.view !== 'functions') {
		drawPicture();
		if (first) {
			$('view').scrollTop = S.view === 'graph' && S.flip ? 1e9 : S.view === 'callers' && callers ? Math.max(0, callers.deepest * BOX - viewHeight() / 2) : 0;
			drawPicture();
		}
	}
	if (!shown.total[0] && !(shown.total[1] > 0)) say(NOTHING);
	drawn = S.view + S.flip;
	reloadLater();
}
function graphKeys(e) {
	const h = under || heldNow();              // what the status line names
	if (e.key === 'ContextMenu' || (e.shiftKey && e.key === 'F10')) {
		const r = $('graph').getBoundingClientRect();
		if (h) openMenu(h, r.left + 40, r.top + Math.max(0, topOf(h)) + BOX);
		e.preventDefault();
		return;
	}
	if (e.ctrlKey || e.metaKey || e.altKey || !h) return;
	const act = actions(h).find(([, key]) => key === e.key), to = keyFrom(heldNow() || h, e.key);
	if (act) act[2]();
	else if (to) { under = null; $('tip').hidden = true; hold(to); } else if (e.key === 'Enter') choose(h); else return;
	e.preventDefault();
}
// What a click does, or Enter.
function choose(h) {
	if (h.layout === flame) zoom(h.node);
	else if (funcAt(h) >= 0) go({ view: 'callers', pivot: funcAt(h) });
}
const KEYS = [['/', 'search'], ['n, N', 'next match, the one before'], ['1 2 3 4', 'flame graph, functions, callers and callees, time order'], ['i', 'flip: outermost frames on top, or at the bottom'], ['0', 'reset'], ['Escape', 'one step back'],
	['arrow keys', 'go from frame to frame'], ['Enter, z', 'zoom'], ['s', 'callers and callees'], ['f', 'only stacks with this function'], ['x', 'without them'], ['m', 'search for this function'], ['c, C', 'copy the name (with its parameters: hold Shift in the menu), the stack'], ['right click', 'all of these as a menu'], ['drag, on the time line', 'show a span of time']];
function showKeys() {
	const dl = make('dl');
	for (const [key, what] of KEYS) dl.append(make('dt', key), make('dd', what));
	$('keys').replaceChildren(dl, button('Close', () => $('keys').close()));
	$('keys').showModal();
}
function wire() {
	const graph = $('graph');
	ORDER.forEach((view, i) => {
		const tab = button(VIEWS[view], () => go({ view }));
		tab.setAttribute('role', 'tab');
		$('tabs').append(tab);
		when(tab, 'keydown', e => {
			const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key], to = $('tabs').children[i + step];
			if (step && to && !to.hidden) { to.focus(); to.click(); }
		});
	});
	when(graph, 'mousemove', e => { under = at(e); showTip(e, under); say(under ? `${describe(under)}${menuUsed ? '' : '   (right click for more)'}` : ''); });
	when(graph, 'mouseleave', () => { under = null; $('tip').hidden = true; });
	when(graph, 'click', e => {
		const h = at(e);
		if (h && !dismissed) choose(h);
	});
	when(graph, 'contextmenu', e => { if (menuAt(e)) e.preventDefault(); });
	when(graph, 'keydown', graphKeys);
	when(graph, 'focus', drawPicture);
	when(graph, 'blur', drawPicture);
	when($('view'), 'scroll', () => { if (S.view !== 'functions') drawPicture(); });
	when($('menu'), 'keydown', e => {
		const all = [...$('menu').children], i = all.indexOf(document.activeElement), step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
		if (step) { all[(i + step + all.length) % all.length].focus(); e.preventDefault(); } else { const hit = all.find(b => b.lastChild.textContent === e.key); if (hit) hit.click(); }
	});
	when(document, 'pointerdown', e => {
		dismissed = !$('menu').hidden && !$('menu').contains(e.target);
		if (dismissed) $('menu').hidden = true;
	}, true);
	holdDown(graph);
	when(document, 'keydown', e => {
		if (e.key === 'Escape' && !$('keys').open) { back(); return; }
		if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) || $('keys').open) return;
		if (e.key === '/') { $('search').focus(); e.preventDefault(); } else if (e.key === 'n' || e.key === 'N') nextMatch(e.key === 'n' ? 1 : -1);
		else if (/^[1-4]$/.test(e.key) && !$('tabs').children[e.key - 1].hidden) go({ view: ORDER[e.key - 1] });
		else if (e.key === 'i') go({ flip: !S.flip });
		else if (e.key === '0') resetAll();
		else if (e.key === '?') showKeys();
		else if (under && e.target !== graph && /^[szfxmcC]$/.test(e.key)) graphKeys(e);
	});
	when($('search'), 'input', () => { matchAt = -1; go({ search: $('search').value }, true); });
	when($('search'), 'keydown', e => { if (e.key === 'Enter') { nextMatch(e.shiftKey ? -1 : 1); e.preventDefault(); } });
	for (const [id, of, also] of CHOICES) when($(id), 'change', () => go({ [id]: $(id)[of], ...also }, id === 'reload'));
	when($('flip'), 'click', () => go({ flip: !S.flip }));
	when($('reset'), 'click', resetAll);
	when($('help'), 'click', showKeys);
	when($('theme'), 'click', () => go({ theme: { '': 'light', light: 'dark', dark: '' }[S.theme] }, true));
	when($('link'), 'click', () => copy(location.href, 'The link'));
	$('reload-label').hidden = !head.every;
	$('reload-label').lastChild.textContent = ` Reload every ${time(head.every * 1e6).replace(/\.0+(?=\D)/, '')}`;
	when($('heat'), 'click', () => go({ heat: !S.heat }));
	lines.slice(0, SIDES).forEach((line, side) => {
		dragTime(line, () => { if (S[SPANS[side]]) go({ [SPANS[side]]: null }); });
		when(line, 'keydown', lineKeys);
		line.setAttribute('aria-label', `Time line${!DIFF ? '' : side ? ', after' : ', before'}${MARKS ? ` with ${plural(head.marks.length, 'mark')}` : ''}: arrow keys move, with Shift they choose a span`);
	});
	$('after').hidden = !DIFF;
	if (DIFF) $('group').querySelector('[value=thread]').remove();
	when($('threads'), 'scroll', drawThreads);
	when($('threads'), 'keydown', threadKeys);
	when($('find-thread'), 'input', () => { $('threads').scrollTop = 0; drawThreads(); });
	when(window, 'popstate', orDamaged(async () => {
		if (eventInLink() !== current && !await load(eventInLink())) return;
		fitEvent();
		look();
	}));
	when($('event'), 'change', orDamaged(() => chooseEvent($('event').selectedIndex)));
	when(window, 'resize', update);
	for (const media of [likesDark, forces]) when(media, 'change', update);
}
let menuUsed = false, dismissed = false;          // dismissed: the click that closes the menu does nothing else
function menuAt(e) {
	const h = at(e);
	if (!h) return false;
	menuUsed = true;
	openMenu(h, e.clientX, e.clientY);
	return true;
}
// A finger that stays for half a second.
function holdDown(graph) {
	let timer = 0;
	const stop = () => clearTimeout(timer);
	when(graph, 'pointerdown', e => {
		stop();
		if (e.pointerType === 'touch') timer = setTimeout(() => { if ($('menu').hidden) dismissed = menuAt(e); }, 500);
	});
	for (const name of ['pointerup', 'pointercancel', 'pointerleave']) when(graph, name, stop);
	when(graph, 'pointermove', e => { if (Math.hypot(e.movementX, e.movementY) > 4) stop(); });
}
// A sentence in place of all controls.
function instead(state, text) {
	$('main').before(make('p', text));
	root.dataset.ready = state;
}
// What the head says of each event: of the first it is there already.
const said = [[$('facts'), $('about').querySelector('dl')], ...[...document.querySelectorAll('.event')].map(e => [e.querySelector('p'), e.querySelector('dl')])]
	.map(pair => pair.map(e => [...e.childNodes]));
function fitEvent() {
	const [facts, about] = said[current];
	$('facts').replaceChildren(...facts);
	$('about').querySelector('dl').replaceChildren(...about);
	$('event').selectedIndex = current;
	$('times').hidden = !C;
	$('tabs').children[ORDER.indexOf('order')].hidden = !C || DIFF;
}
function look() {
	S = readLink();
	$('search').value = S.search;
	update();
}
function orDamaged(act) {
	return async () => {
		try {
			await act();
		} catch (e) {
			const known = window.DecompressionStream;
			if (known && !(e instanceof Damaged || e instanceof TypeError || e instanceof DOMException)) throw e;
			$('main').hidden = $('tools').hidden = true;
			instead('damaged', known ? 'This page is damaged: its data does not agree with its head.' : 'This browser is too old.');
			// what there is without scripts, but for its first sentence
			const [, ...rest] = new DOMParser().parseFromString(document.querySelector('noscript').textContent, 'text/html').body.children;
			$('main').before(...rest);
		}
	};
}
async function start() {
	await load(eventInLink());
	if (![0, 1].some(side => side < SIDES && wholeSelf(side).some(w => w > 0))) {
		instead('empty', `There are no samples in this recording${head.records ? ` of ${plural(head.records, 'record')}` : ''}: pp-info says what it holds. Record with pp-record -g.`);
		return;
	}
	$('event').replaceChildren(...heads.map((_, k) => new Option(eventName(k))));
	$('event-label').hidden = heads.length < 2;
	$('main').hidden = $('tools').hidden = false;
	wire();
	fitEvent();
	look();
	root.dataset.ready = 'yes';
}
orDamaged(start)();
})();
