/*
 * The HTML report in Chromium: check.js NODE_MODULES PAGES [PART], the pages of pages.py; PART: one of
 * the functions below alone. Environment:
 * CHROMIUM, the program. Tells each check that fails, the times of REPORTS R10, which are for
 * reading and fail nothing, and as its last line "N passed, N failed".
 */
'use strict';

const fs = require('fs');
const http = require('http');
const path = require('path');

const modules = path.resolve(process.argv[2]);
const folder = path.resolve(process.argv[3]);
const puppeteer = require(path.join(modules, 'puppeteer-core'));
const axe = fs.readFileSync(path.join(modules, 'axe-core', 'axe.min.js'), 'utf8');

const NAMES = ['none', 'good', 'decided', 'compared', 'expired', 'judged', 'whole', 'hostile', 'real', 'many'];
let browser;
let passed = 0;
let failed = 0;

function check(what, right, seen) {
	if (right) {
		passed++;
		return;
	}
	failed++;
	console.log('FAIL ' + what + (seen === undefined ? '' : ': ' + JSON.stringify(seen).slice(0, 600)));
}

function equal(what, seen, wanted) {
	check(what, JSON.stringify(seen) === JSON.stringify(wanted), { seen, wanted });
}

function address(name, hash) {
	return 'file://' + path.join(folder, name + '.html') + (hash || '');
}

/*
 * Open a page; what it should not do is gathered in page.wrong: errors, requests, violations of the
 * policy, dialogs. options: width, dark, script (false: off), bypass (of the policy, for axe), url.
 */
async function open(name, options) {
	const page = await browser.newPage();
	const url = options.url || address(name, options.hash);
	page.wrong = [];
	page.on('pageerror', (error) => page.wrong.push('error: ' + error.message));
	page.on('console', (message) => page.wrong.push('console: ' + message.text()));
	page.on('dialog', (dialog) => {
		page.wrong.push('dialog: ' + dialog.message());
		dialog.dismiss();
	});
	page.on('request', (request) => {
		if (request.url().replace(/#.*/, '') !== url.replace(/#.*/, ''))
			page.wrong.push('request: ' + request.url());
	});
	await page.setViewport({ width: options.width || 1280, height: options.height || 800 });
	await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: options.dark ? 'dark' : 'light' }]);
	if (options.script === false)
		await page.setJavaScriptEnabled(false);
	if (options.bypass)
		await page.setBypassCSP(true);
	await page.evaluateOnNewDocument(() => {
		window.violations = [];
		document.addEventListener('securitypolicyviolation',
			(event) => window.violations.push(event.violatedDirective + ' ' + event.blockedURI));
	});
	if (options.plain) /* the script stops at its first act, and axe can still run */
		await page.evaluateOnNewDocument(() => {
			Object.defineProperty(JSON, 'parse', { value: () => { throw new Error('off'); } });
		});
	await page.goto(url, { waitUntil: 'load' });
	return page;
}

async function close(page, what) {
	const violations = await page.evaluate(() => window.violations || []);
	equal(what + ': does nothing that it should not', page.wrong.concat(violations), []);
	await page.close();
}

/* --- Each page in each look -------------------------------------------------------------------- */

const LOOKS = [
	{ what: 'light' }, { what: 'dark', dark: true }, { what: 'tablet', width: 800 },
	{ what: 'phone', width: 390 }, { what: 'no script', script: false },
	{ what: 'no script, phone', script: false, width: 390 },
];

/* Open the first findings, with script or without. */
function openSome() {
	const titles = [...document.querySelectorAll('.row .c2 button')].slice(0, 4);
	titles.forEach((title) => title.click());
	[...document.querySelectorAll('details')].slice(0, 4).forEach((one) => { one.open = true; });
}

async function looks(name) {
	for (const look of LOOKS) {
		const page = await open(name, look);
		await page.evaluate(openSome);
		const seen = await page.evaluate(() => ({
			h1: document.querySelectorAll('h1').length,
			wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
			tight: [...document.querySelectorAll('.figs td, .vw, .bars .num, .heat td, .row .c5')].filter((cell) => {
				const range = document.createRange();
				range.selectNodeContents(cell);
				return range.getBoundingClientRect().width > cell.getBoundingClientRect().width + 0.5;
			}).map((cell) => cell.textContent),
			ready: document.documentElement.getAttribute('data-ready'),
			controls: document.querySelectorAll('button, input, select').length,
			list: document.querySelectorAll('.row').length,
			plain: document.querySelectorAll('#plain details').length,
		}));
		const what = name + ', ' + look.what;
		equal(what + ': one heading, nothing beyond an edge', [seen.h1, seen.wide, seen.tight], [1, 0, []]);
		if (look.script === false)
			equal(what + ': no dead control, a plain list', [seen.controls, seen.plain > 0],
				[0, name !== 'none']);
		else if (name !== 'none')
			equal(what + ': the script has made the list',
				[seen.ready, seen.plain, seen.list > 0 && seen.list <= 100, seen.controls > 0],
				['true', 0, true, true]);
		await close(page, what);
	}
}

async function accessible(name) {
	const all = [{ what: 'light' }, { what: 'dark', dark: true }, { what: 'phone', width: 390 },
		{ what: 'phone, dark', width: 390, dark: true }, { what: 'plain', plain: true },
		{ what: 'plain, dark', plain: true, dark: true }];
	/* what is long takes long, and is made of the same parts */
	for (const look of ['real', 'many'].includes(name) ? all.slice(0, 2) : all) {
		const page = await open(name, Object.assign({ bypass: true }, look));
		await page.evaluate(openSome);
		await page.evaluate(axe);
		const found = await page.evaluate(async () => {
			const result = await window.axe.run(document, { resultTypes: ['violations'] });
			return result.violations.map((one) => one.id + ': ' + one.nodes.length + ' × ' + one.nodes[0].html);
		});
		equal(name + ', ' + look.what + ': axe finds nothing', found, []);
		await page.close();
	}
}

/* --- What the list does, held against the data block ------------------------------------------- */

/* What can be seen: numbers found, first rows, what is pressed, the address. */
function state() {
	const text = (selector) => [...document.querySelectorAll(selector)].map((one) => one.textContent);
	return {
		hits: document.querySelector('.hit').textContent, hash: location.hash,
		tokens: text('.tokens button'), titles: text('.row .c2 button'), ages: text('.row .c5'),
		places: text('.row .c3'), pressed: text('[aria-pressed=true] .sw'), range: text('.pager span'),
		sort: [...document.querySelectorAll('[aria-sort]')].map((one) => one.textContent + one.getAttribute('aria-sort')),
	};
}

function rowsOf(name) {
	const source = fs.readFileSync(path.join(folder, name + '.html'), 'utf8');
	return JSON.parse(/<script type="application\/json" id="data">([\s\S]*?)<\/script>/.exec(source)[1]).rows;
}

const commas = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

/* Dismissed findings count where a filter asks for them. */
function counting(rows, hash) {
	return /status=|false_positive/.test(hash) ? rows : rows.filter((row) => !(row[2] & 1));
}

async function fragments() {
	const rows = rowsOf('decided');
	const level = (names) => (row) => names.includes(row[1]);
	const cases = [
		['#?severity=high..', level([0, 1])],
		['#?severity=..low', level([3, 4])],
		['#?severity=medium..high,info', level([1, 2, 4])],
		['#?severity=critical,other', level([0, 5])],
		['#?severity=nonsense', () => false],
		['#?false_positive=true', (row) => row[2] & 1],
		['#?exploitable=true&false_positive=false', (row) => (row[2] & 3) === 2],
		['#?overdue=true', (row) => row[2] & 4],
		['#?overdue', (row) => row[2] & 4],
		['#?false_positive', (row) => row[2] & 1],
		['#?false_positive=true,false', () => true],
		['#?false_positive=yes', () => false],
		['#?file_path=src/a/**', (row) => row[4] !== null && row[4].startsWith('src/a/')],
		['#?file_path=**/module_7.c', (row) => /(^|\/)module_7\.c$/.test(row[4])],
		['#?file_path=src/*/module_%3F.c', (row) => /^src\/[^/]*\/module_.\.c$/.test(row[4])],
		['#?file_path=src/[a-c]/*', (row) => /^src\/[a-c]\//.test(row[4])],
		['#?file_path=src/[!a-c]/*', (row) => row[4] !== null && !/^src\/[a-c]\//.test(row[4])],
		['#?file_path=src', () => false],
		['#?age=91..180', (row) => row[7] !== null && row[7] >= 91 && row[7] <= 180],
		['#?age=..30,300..', (row) => row[7] !== null && (row[7] <= 30 || row[7] >= 300)],
		['#?category=c/rule-01,c/rule-02&repo_name=acme/web',
			(row) => ['c/rule-01', 'c/rule-02'].includes(row[3]) && row[8] === 'acme/web'],
		['#?text=STAGING%20request', (row) => JSON.stringify(row).includes('staging')],
		['#?text=staging', (row) => JSON.stringify(row).includes('staging')],
	];
	for (const [hash, test] of cases) {
		const page = await open('decided', { hash });
		const seen = await page.evaluate(state);
		const counted = counting(rows, hash);
		equal(hash + ': as many as there are', seen.hits,
			counted.filter(test).length + ' of ' + counted.length + ' findings');
		await close(page, hash);
	}
	const page = await open('decided', { hash: '#?bogus=1&page=2' });
	const seen = await page.evaluate(state);
	equal('an unknown name is said', seen.tokens.map((one) => one.includes('bogus')), [true]);
	equal('a page by its number', seen.range, ['101–200 of ' + counting(rows, '').length]);
	await close(page, 'an unknown name');
}

async function sorts() {
	const page = await open('decided', {});
	const rows = counting(rowsOf('decided'), '');
	const by = { Finding: (row) => row[6], Location: (row) => row[4] === null ? '\uffff' : row[4],
		Rule: (row) => row[3], /* other stands where the gate counts it: as critical */
		Severity: (row) => row[1] === 5 ? 0.5 : row[1], Age: (row) => row[7] === null ? -1 : row[7] };
	for (const word of Object.keys(by)) {
		const values = rows.map(by[word]).sort((a, b) => a < b ? -1 : a > b ? 1 : 0);
		const up = word === 'Age' ? ['descending', 'ascending'] : ['ascending', 'descending'];
		for (const way of up) {
			const seen = await page.evaluate((name) => {
				[...document.querySelectorAll('.list thead button')].find((one) => one.textContent === name).click();
				return [document.querySelector('[aria-sort]').getAttribute('aria-sort'),
					[...document.querySelectorAll('.row')].map((one) => one.id)];
			}, word);
			const ids = new Map(rows.map((row) => ['f-' + row[0], by[word](row)]));
			equal(word + ' ' + way, [seen[0], seen[1].map((id) => ids.get(id))],
				[way, way === 'ascending' ? values.slice(0, 100) : values.slice().reverse().slice(0, 100)]);
		}
		await page.evaluate((name) => [...document.querySelectorAll('.list thead button')]
			.find((one) => one.textContent === name).click(), word);
		equal('a third click on ' + word, (await page.evaluate(state)).sort, []);
	}
	await close(page, 'sorting');
}

/* With a baseline: groups, chips, the sentence, and a condition about new ones. */
async function compared() {
	const page = await open('compared', {});
	const seen = await page.evaluate(() => {
		const heads = () => [...document.querySelectorAll('.grp')].map((head) => head.textContent);
		const chip = (word) => [...document.querySelectorAll('.seg button')]
			.find((one) => one.textContent.startsWith(word));
		const out = { first: heads()[0], fresh: chip('New').textContent, carried: chip('Carried over').textContent };
		chip('New').click();
		out.rows = document.querySelectorAll('tr.row').length;
		out.hash = decodeURIComponent(location.hash);
		out.heads = heads();
		chip('New').click();
		document.querySelector('.verdict [data-new] button').click();
		out.condition = decodeURIComponent(location.hash);
		document.querySelector('.lede button').click();
		out.lede = decodeURIComponent(location.hash);
		return out;
	});
	const number = /\d+/.exec(seen.fresh)[0];
	check('compared: some are new', Number(number) >= 30, seen);
	check('compared: the first group is of new ones', seen.first.startsWith('New '), seen);
	equal('compared: the filter shows as many as the chip says', [String(seen.rows), seen.hash],
		[number, '#?baseline=new']);
	check('compared: a condition about new ones shows these', /severity=.*&baseline=new/.test(seen.condition) &&
		/baseline=new/.test(seen.lede), seen);
	const folder = await page.evaluate(() => {
		const row = [...document.querySelectorAll('.delta [data-f=file_path]')].find((one) => one.querySelector('button'));
		row.querySelector('button').click();
		return [decodeURIComponent(location.hash), document.querySelectorAll('tr.row').length];
	});
	check('compared: a folder is a filter', /file_path=.+\/\*$/.test(folder[0]) && folder[1], folder);
	await close(page, 'compared');
	const paper = await open('compared', {});
	const printed = await paper.evaluate(() => {
		window.dispatchEvent(new Event('beforeprint'));
		return [...document.querySelectorAll('.printed h3')].filter((one) => one.parentNode.className === 'printed')
			.map((one) => one.textContent).concat(document.querySelectorAll('.printed details > .d').length,
				document.querySelectorAll('.printed details').length);
	});
	const fresh = rowsOf('compared').filter((row) => row[2] & 16 && !(row[2] & 1)).length;
	equal('compared: paper has new findings in full, a line of others', printed,
		['New', 'Carried over', 'Dismissed', fresh, rowsOf('compared').length]);
	await close(paper, 'compared, on paper');
}

async function controls() {
	const rows = counting(rowsOf('decided'), ''), of = ' of ' + rows.length + ' findings';
	const page = await open('decided', {});
	const click = (selector, at) => page.evaluate((s, i) => document.querySelectorAll(s)[i].click(), selector, at);
	const hits = async () => (await page.evaluate(state)).hits;
	const high = rows.filter((row) => row[1] === 1).length;
	await click('.seg button', 1);
	equal('a click on High', await hits(), high + of);
	equal('the address says so', (await page.evaluate(state)).hash, '#?severity=high');
	await click('.seg button', 0);
	equal('two severities', await hits(), rows.filter((row) => row[1] <= 1).length + of);
	await page.type('.tools input', 'Value 9 reaches');
	await page.waitForFunction(() => location.hash.includes('text='));
	equal('search within', await hits(), rows.filter((row) => row[1] <= 1 &&
		/value/i.test(JSON.stringify(row)) && /9/.test(JSON.stringify([row[6], row[4] + ':' + row[5], row[0], row[10], row[12], row[13]])) &&
		/reaches/.test(JSON.stringify(row))).length + of);
	await click('.wipe', 0);
	equal('Clear', [await hits(), (await page.evaluate(state)).hash], [rows.length + of, '#findings']);
	await page.select('.tools select', 'c/rule-03');
	equal('a category', await hits(), rows.filter((row) => row[3] === 'c/rule-03').length + of);
	await page.evaluate(() => document.querySelector('.grid [data-f=file_path] .pick').click());
	const chart = await page.evaluate(() => {
		const row = document.querySelector('.grid [data-f=file_path] .pick').parentNode;
		return [row.getAttribute('data-v'), row.parentNode.querySelector('.num').textContent];
	});
	equal('a file of the chart', [await hits(), (await page.evaluate(state)).tokens.length],
		[chart[1] + ' of 400 findings', 1]);
	check('and it is that file', (await page.evaluate(state)).places.every((one) => one.startsWith(chart[0])));
	await page.evaluate(() => document.querySelector('.verdict .pick').click());
	equal('a condition of the gate', await hits(), rows.filter((row) => (row[1] <= 1 || row[1] === 5) && !(row[2] & 1)).length + ' of 400 findings');
	await click('.wipe', 0);
	await click('.pager button', 1);
	equal('the next page', [(await page.evaluate(state)).range, (await page.evaluate(state)).hash],
		[['101–200 of ' + rows.length], '#?page=2']);
	await page.type('.tools input', 'no such text anywhere');
	await page.waitForFunction(() => !document.querySelector('.nohit').hidden);
	await click('.nohit button', 0);
	equal('nothing matches, cleared', await hits(), rows.length + of);
	await close(page, 'controls');
}

/* Each number that can be clicked shows as many findings, or says how many of them are listed. */
async function clicks(name) {
	const page = await open(name, {});
	const wrong = await page.evaluate(() => {
		const number = (text) => Number((/[\d,]+/.exec(text) || ['0'])[0].replace(/,/g, ''));
		return [...document.querySelectorAll('[data-f] > .pick')].map((button) => {
			const label = button.parentNode, row = label.closest('tr');
			const said = label.hasAttribute('data-n') ? number(label.textContent) : label.closest('thead') ?
				number(document.querySelectorAll('.figs .open .big')[label.cellIndex - 1].textContent) :
				!row ? number(label.textContent) : row.querySelector('td.num') ?
					number(row.querySelector('td.num').textContent) :
					[...row.querySelectorAll('td')].reduce((sum, cell) => sum + number(cell.textContent), 0);
			button.click();
			const hit = document.querySelector('.hit').textContent;
			const missing = hit.endsWith(' listed of ' + said.toLocaleString('en-US') + ' findings') &&
				number(hit) < said && (number(hit) > 0 || document.querySelector('.nohit').textContent
					.includes('retriage list --where '));
			return number(hit) === said || missing ? '' : label.outerHTML.slice(0, 120) + ' said ' + said + ', ' + hit;
		}).filter(Boolean);
	});
	equal(name + ': each number that is clicked is true', wrong, []);
	await close(page, name + ', clicked');
}

async function clicked() {
	for (const name of ['none', 'good', 'decided', 'compared', 'expired', 'judged', 'whole', 'real', 'many'])
		await clicks(name);
}

/* The account of a page with a baseline: each column adds up. */
async function account() {
	const page = await open('compared', {});
	const sums = await page.evaluate(() => {
		const rows = [...document.querySelectorAll('.figs tbody tr')].map((row) => [...row.querySelectorAll('td')]
			.map((cell) => Number(cell.textContent.replace('−', '-').replace(/,/g, ''))));
		const at = [...document.querySelectorAll('.figs tbody tr')].findIndex((row) => row.className === 'open');
		return [at, rows[at].map((open, i) => rows.slice(0, at).reduce((sum, row) => sum + row[i], 0) - open)];
	});
	check('compared: the account has its rows', sums[0] >= 3, sums);
	check('compared: each column adds up', sums[1].length > 5 && sums[1].every((sum) => sum === 0), sums);
	await close(page, 'account');
}

async function grouped() {
	const rows = rowsOf('decided');
	const page = await open('decided', { hash: '#?group=category' });
	const heads = () => page.evaluate(() => [...document.querySelectorAll('.fold')].map((one) => one.textContent));
	const first = (await heads())[0];
	const [, rule, size] = /^(.*) (\d+)$/.exec(first);
	equal('groups: the first is the worst finding\'s, with its size', [rule, Number(size)],
		[rows[0][3], counting(rows, '').filter((row) => row[3] === rule).length]);
	await page.evaluate(() => document.querySelector('.fold').click());
	equal('groups: folded, its head alone stands', await page.evaluate(() =>
		document.querySelector('.list tbody').children[1].className), 'grp');
	await page.evaluate((id) => { location.hash = '#f-' + id; }, rows[0][0]);
	await page.waitForFunction(() => document.querySelector('.isopen'));
	equal('groups: a link unfolds', (await heads())[0], first);
	await close(page, 'groups');
	const dismissed = rowsOf('expired').filter((row) => row[2] & 1).length;
	const last = await open('expired', { hash: '#?page=2' });
	const drawn = () => last.evaluate(() => {
		const head = [...document.querySelectorAll('.fold')].pop();
		return [head.textContent, head.getAttribute('aria-expanded'), document.querySelectorAll('.row.isfp').length];
	});
	equal('dismissed findings are a folded group behind the others', await drawn(), ['Dismissed ' + dismissed, 'false', 0]);
	await last.evaluate(() => [...document.querySelectorAll('.fold')].pop().click());
	equal('which opens', [(await drawn())[1], (await drawn())[2] > 0], ['true', true]);
	await close(last, 'dismissed');
}

/* What a page says of severities that are none of the five, and of dismissals. */
async function words() {
	const page = await open('expired', { hash: '#?severity=other' });
	const seen = await page.evaluate(() => [document.querySelector('.row .c1').textContent.trim(),
		document.querySelector('.banner').textContent]);
	check('other: the word of the export', ['BLOCKER', 'High', 'none given'].includes(seen[0]), seen);
	check('other: what the gate does with it', /shown as Other, counted as critical by the gate\./.test(seen[1]), seen);
	await close(page, 'other');
	const decided = await open('decided', { hash: '#?text=No%20reason' });
	const silent = rowsOf('decided').find((row) => row[13].length > 1 && row[13].slice(-1)[0] === null);
	await decided.evaluate((id) => { location.hash = '#f-' + id; }, silent[0]);
	await decided.waitForFunction(() => document.querySelector('.isopen'));
	const said = await decided.evaluate(() => [...[...document.querySelectorAll('.det .dec')].pop().children].map((one) => one.textContent));
	equal('a decision without a note has its block', [said[0], said[1]], ['Reopened, severity Low', 'No reason given.']);
	const copied = await decided.evaluate(async () => {
		const out = [], buttons = [...document.querySelectorAll('.det .copy')];
		navigator.clipboard.writeText = (text) => Promise.resolve(out.push(text));
		buttons.forEach((one) => one.click());
		await Promise.resolve().then(() => {});
		return [out, buttons.map((one) => one.textContent), location.href];
	});
	equal('a link to a finding is copied', copied[0][1], copied[2]);
	check('and its location', /^src\/.*:\d+$/.test(copied[0][0]), copied);
	equal('which the buttons say', copied[1], ['Copied', 'Copied']);
	check('and says who and when', /^mallory, 2025-12-31 09:00 UTC, entry \d+ of the journal$/.test(said[2]), said);
	await decided.close();
}

/* Texts as people type them are nodes (D11), a path keeps the order of its parts (D28), a rule is named by its last
 * part (D23), and the page says who looked and when (D24), or that nobody may have (D25). */
async function prose() {
	const page = await open('prose', {});
	await page.evaluate(openSome);
	const seen = await page.evaluate(() => {
		const texts = (selector) => [...document.querySelectorAll('.det ' + selector)].map((one) => one.textContent);
		const link = document.querySelector('.det .tx a');
		return { pre: texts('pre.plain'), code: texts('.tx code'), link: [link.href, link.rel], text: texts('.tx').join('\n'),
			parts: ['.row .c3 bdi bdi', '.det dd.mono bdi'].map((selector) => [...document.querySelectorAll(selector)]
				.map((one) => one.getBoundingClientRect().left)),
			rule: [document.querySelector('.row .c4').textContent, document.querySelector('.row .c4 .nm').title],
			sub: document.querySelector('.sub').textContent };
	});
	equal('fences', seen.pre, ['if (x)\n\treturn <b>;\n']);
	equal('backticks', seen.code, ['call(x)']);
	equal('addresses', seen.link, ['https://example.com/a', 'noreferrer']);
	check('lines that were broken by hand are joined', seen.text.includes('which is why it goes on here.'), seen.text);
	check('lists are not, and equal lines stand once', seen.text.includes('Same line. (3 times)') &&
		seen.text.includes('- one\n- two'), seen.text);
	for (const parts of seen.parts)
		check('a path from the right keeps its order', parts.length >= 3 &&
			parts.every((left, i) => i === 0 || left > parts[i - 1]), parts);
	equal('a rule by its last part', seen.rule, ['cookie-missing-httponly',
		'java.lang.security.audit.cookie-missing-httponly.cookie-missing-httponly']);
	equal('who and when', seen.sub, 'Semgrep 1.70, scanned 15 June 2026: 1 finding. No finding says when it was first seen.');
	await close(page, 'prose');
	const none = await open('none', {});
	check('nothing found may be nothing scanned', await none.evaluate(() =>
		document.body.textContent.includes('A scan that did not run looks the same: --at-least 1')));
	await close(none, 'none');
}

async function keyboard() {
	const page = await open('decided', {});
	const at = () => page.evaluate(() => [[...document.querySelectorAll('.row')]
		.indexOf(document.activeElement.closest('tr')), document.querySelectorAll('.isopen').length]);
	await page.focus('.row .c2 button');
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('ArrowDown');
	equal('arrows', await at(), [2, 0]);
	await page.keyboard.press('Enter');
	equal('Enter opens', await at(), [2, 1]);
	await page.keyboard.press('Tab');
	check('Tab goes into it', await page.evaluate(() => document.activeElement.closest('.det') !== null));
	await page.keyboard.press('Escape');
	equal('Escape closes and goes back', await at(), [2, 0]);
	await page.keyboard.press('End');
	equal('End', await at(), [99, 0]);
	await page.keyboard.press('Home');
	equal('Home', await at(), [0, 0]);
	await close(page, 'keyboard');
}

async function deepLinks() {
	const rows = rowsOf('decided');
	const hash = '#f-' + rows[250][0];
	const page = await open('decided', { hash });
	const seen = await page.evaluate(() => {
		const row = document.querySelector('.isopen');
		return [row && row.id, row && Math.round(row.getBoundingClientRect().top) < 400,
			document.querySelector('.pager span').textContent];
	});
	equal('a link to a finding', seen, [hash.slice(1), true, '201–300 of 400']);
	await page.evaluate(() => document.querySelector('#record .idl a').click());
	await page.waitForFunction(() => document.activeElement.closest('.row') !== null &&
		'#' + document.activeElement.closest('.row').id === location.hash);
	await page.evaluate(() => document.querySelector('#lint a').click());
	await page.waitForFunction(() => document.activeElement.closest('.row') !== null &&
		'#' + document.activeElement.closest('.row').id === location.hash);
	check('a link of the record opens it', await page.evaluate(() =>
		document.getElementById(location.hash.slice(1)).classList.contains('isopen')));
	const link = await page.evaluate(() => [...document.querySelectorAll('.df a')].map((one) => [one.href, one.rel])[0]);
	check('the source is linked', /^https:\/\/git\.example\.com\/acme\/\w+\/src\/\w\/module_\d+\.c#L\d+$/.test(link[0]), link);
	equal('without telling where from', link[1], 'noreferrer');
	await close(page, 'deep links');
	const plain = await open('decided', { hash: '#f-' + rows[7][0], script: false });
	equal('without script a link opens it too', await plain.evaluate(() => [...document.querySelectorAll('details .d')]
		.map((one, i) => one.checkVisibility({ contentVisibilityAuto: true }) && one.offsetHeight > 0 ? i : -1)
		.filter((i) => i >= 0)), [7]);
	await close(plain, 'a link without script');
}

/* Thousands of categories and repositories: menus offer some, a filter of the fragment any. */
async function manyNames() {
	const page = await open('names', { hash: '#?category=c%205' });
	const seen = await page.evaluate(() => [document.querySelector('.hit').textContent,
		document.querySelectorAll('.tools option').length,
		[...document.querySelectorAll('.tokens button')].map((one) => one.textContent)]);
	equal('many names', seen, ['1 of ' + commas(counting(rowsOf('names'), '').length) + ' findings', 1006, ['category=c 5 ×']]);
	await close(page, 'many names');
}

async function marksCode() {
	const page = await open('decided', { hash: '#?text=call' });
	const seen = await page.evaluate(() => {
		document.querySelector('.row .c2 button').click();
		const pre = document.querySelector('pre.code');
		return [pre.textContent, pre.querySelector('mark u').textContent];
	});
	check('the lines have their numbers', /^ *\d+ int f\(char \*value\)\n *\d+ \{\n *\d+ \tcall\(value, 0\);\n *\d+ \}\n$/.test(seen[0]), seen[0]);
	equal('the columns are underlined', seen[1], 'value');
	await close(page, 'code');
}

/* --- What is hostile is text ------------------------------------------------------------------- */

async function hostile() {
	for (const script of [true, false]) {
		const page = await open('hostile', { script });
		await page.evaluate(openSome);
		const seen = await page.evaluate(() => ({
			titles: [...document.querySelectorAll(document.querySelector('.row') ? '.row .c2 button' : '.tt')]
				.map((one) => one.textContent).sort(),
			foreign: document.querySelectorAll('img, iframe, b i, main script, svg[onload]').length,
			heads: document.querySelectorAll('h1').length,
			text: document.body.textContent,
		}));
		equal('titles as they are', seen.titles, ['<!-- <script>', '</script><img src=x onerror=alert(1)>', 'constructor']);
		equal('no element of theirs', [seen.foreign, seen.heads], [0, 1]);
		for (const part of ['⟨U+202E⟩gpj.exe ⟨U+001B⟩[31m ⟨U+0000⟩', '</pre><script>alert(1)</script>', '::error::x'])
			check('shown: ' + part, seen.text.includes(part));
		await close(page, 'hostile');
	}
	for (const [hash, title] of [['#f-a~20b~2f~c3~bc~22', '</script>'], ['#f-~01~27--~3e~3c~21--', '<!--'], ['#f-__proto__', 'constructor']]) {
		const page = await open('hostile', { hash });
		const seen = await page.evaluate(() => document.querySelector('.isopen .c2').textContent);
		check(hash + ' opens its finding', seen.startsWith(title), seen);
		await close(page, hash);
	}
	for (const hash of ['#?file_path=[', '#?file_path=\\', '#?severity=%E0%A4%A', '#?__proto__=1&constructor=2',
		'#?age=x..y', '#?sort=constructor', '#?page=-5', '#?category=__proto__&text=%00', '#f-', '#?']) {
		const page = await open('hostile', { hash });
		check(hash + ': the list is there', await page.evaluate(() => document.documentElement.hasAttribute('data-ready')));
		await close(page, hash);
	}
}

/* --- Print, and a server that forbids nearly everything ---------------------------------------- */

async function prints() {
	for (const [name, script, least] of [['good', true, 2], ['good', false, 2], ['decided', true, 5],
		['none', true, 1], ['judged', true, 2]]) {
		const page = await open(name, { script });
		const pdf = Buffer.from(await page.pdf({ format: 'A4', preferCSSPageSize: true })).toString('latin1');
		const pages = (pdf.match(/\/Type\s*\/Page\b/g) || []).length;
		check(name + ': prints pages', pages >= least, pages);
		await close(page, name + ', print');
	}
	const long = await open('real', {});
	const sheets = (Buffer.from(await long.pdf({ format: 'A4', preferCSSPageSize: true, timeout: 0 })).toString('latin1')
		.match(/\/Type\s*\/Page\b/g) || []).length;
	check('real: some 1,900 findings print on at most 60 sheets', sheets > 10 && sheets <= 60, sheets);
	await close(long, 'real, print');
	const page = await open('decided', { hash: '#?severity=critical' });
	const seen = await page.evaluate(() => {
		window.dispatchEvent(new Event('beforeprint'));
		const shown = document.querySelectorAll('.printed details[open]').length;
		const says = document.querySelector('.printed .plainnote').textContent;
		window.dispatchEvent(new Event('afterprint'));
		return [shown, says, document.querySelectorAll('.printed *').length];
	});
	const number = rowsOf('decided').filter((row) => row[1] === 0).length;
	equal('paper has what the filter shows', seen,
		[number, number + ' of 400 listed findings. Filter: severity=critical.', 0]);
	await close(page, 'print of a filter');
}

/* The headers with which Jenkins serves artifacts: no script, no style, a sandbox. */
async function strict() {
	const server = http.createServer((request, answer) => {
		answer.setHeader('Content-Type', 'text/html');
		answer.setHeader('Content-Security-Policy', "sandbox; default-src 'none'; img-src 'self'; style-src 'self';");
		answer.end(request.url === '/' ? fs.readFileSync(path.join(folder, 'decided.html')) : '');
	});
	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
	const page = await open('', { url: 'http://127.0.0.1:' + server.address().port + '/', script: false });
	const seen = await page.evaluate(() => {
		const text = document.body.innerText;
		return { style: getComputedStyle(document.querySelector('.verdict')).backgroundColor,
			parts: ['Gate: Fail', 'Open by severity', 'Age of open findings', 'Files, worst first', 'Record', 'appsec']
				.filter((part) => !text.includes(part)),
			plain: document.querySelectorAll('details').length,
			dead: document.querySelectorAll('button, input, select').length };
	});
	equal('behind strict headers all is there to read', seen,
		{ style: 'rgba(0, 0, 0, 0)', parts: [], plain: 200, dead: 0 });
	await page.close();
	server.close();
}

/* --- Times, for reading ------------------------------------------------------------------------ */

async function times(name) {
	const opened = [];
	let page;
	for (let i = 0; i < 3; i++) {
		if (page)
			await page.close();
		const start = Date.now();
		page = await open(name, {});
		await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))));
		opened.push(Date.now() - start);
	}
	const acts = await page.evaluate(async () => {
		const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
		const out = {};
		async function time(what, act) {
			const start = performance.now();
			act();
			await painted();
			out[what] = Math.round(performance.now() - start);
		}
		const chips = document.querySelectorAll('.seg button'), input = document.querySelector('.tools input');
		await time('filter', () => chips[1].click());
		await time('all again', () => chips[1].click());
		for (const head of document.querySelectorAll('.list thead button'))
			await time('sort ' + head.textContent, () => head.click());
		for (const text of ['value', 'request 4', 'staging']) {
			const start = performance.now();
			input.value = text;
			input.dispatchEvent(new Event('input'));
			while (decodeURIComponent(location.hash).indexOf('text=' + text) < 0)
				await new Promise((resolve) => setTimeout(resolve, 2));
			await painted();
			out['search ' + text] = Math.round(performance.now() - start);
		}
		return out;
	});
	const size = fs.statSync(path.join(folder, name + '.html')).size;
	console.log(name + ', ' + (size / 1048576).toFixed(1) + ' MiB: opens in ' + opened.join(', ') + ' ms; ' +
		Object.keys(acts).map((what) => what + ' ' + acts[what]).join(', ') + ' ms');
	await page.close();
}

async function main() {
	browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, headless: true,
		args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
			'--disable-background-networking', '--disable-component-update', '--disable-sync'] });
	const parts = [fragments, sorts, compared, controls, clicked, account, grouped, words, prose, keyboard, deepLinks, manyNames,
		marksCode, hostile, prints, strict];
	const only = process.argv[4];
	for (const name of only ? [] : NAMES) {
		await looks(name);
		await accessible(name);
	}
	for (const part of parts.filter((one) => !only || one.name === only))
		await part();
	if (only) {
		console.log(passed + ' passed, ' + failed + ' failed');
		process.exit(failed ? 1 : 0);
	}
	for (const name of ['real', 'many'])
		await times(name);
	/* What README shows, beside the pages; to be copied to schemas/page.png when the page has changed. */
	const picture = await open('picture', { width: 1120, height: 610 });
	await picture.screenshot({ path: path.join(folder, '..', 'page.png') });
	await browser.close();
	console.log(passed + ' passed, ' + failed + ' failed');
	process.exit(failed ? 1 : 0);
}

main().catch((error) => {
	console.error(error);
	process.exit(1);
});
