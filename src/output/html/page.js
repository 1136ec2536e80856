/*
 * The list of findings: filters, order, search, pages, deep links and print. Input: the data block.
 * Nodes are built one by one and texts are set as texts: nothing of the data is ever parsed as
 * markup. Without this script the page shows its first findings as plain elements.
 */
(function () {
'use strict';

const box = document.getElementById('data');
const app = document.getElementById('app');
if (!box || !app)
	return;

const data = JSON.parse(box.textContent);
const rows = data.rows;
const total = rows.length;
const PAGE = 100; /* rows at once on the screen */
const PRINT = 2000; /* rows on paper */
const WHOLE = 60; /* if there are no more, with their details; else only new ones */
const CHOICES = 500; /* names that a menu offers */

/* Places in a row, as html_finding.c writes it, and bits of its flags. */
const ID = 0, LEVEL = 1, FLAGS = 2, CATEGORY = 3, PATH = 4, LINE = 5, TITLE = 6, AGE = 7, REPO = 8,
	CODE = 9, TEXTS = 10, FIX = 11, FACTS = 12, NOTES = 13, LINK = 14, ANCHOR = 15,
	CLASS = 16, WAS = 17; /* the last two with a baseline */
const SEVERITY = 1; /* the number of that fact */
const DISMISSED = 1, EXPLOITABLE = 2, OVERDUE = 4, EXPIRED = 8, NEW = 16, WITHHELD = 32;

const LEVELS = ['critical', 'high', 'medium', 'low', 'info', 'other'];
const WORDS = ['Critical', 'High', 'Medium', 'Low', 'Info', 'Other'];

/* --- Nodes ------------------------------------------------------------------------------------ */

function add(node, children) {
	for (const child of Array.isArray(children) ? children : [children]) {
		if (child !== null && child !== undefined && child !== '')
			node.append(child);
	}
	return node;
}

function make(tag, className, children) {
	const node = document.createElement(tag);
	if (className)
		node.className = className;
	return add(node, children);
}

function set(node, attributes) {
	for (const name of Object.keys(attributes))
		node.setAttribute(name, attributes[name]);
	return node;
}

function button(className, children, act) {
	const node = set(make('button', className, children), { type: 'button' });
	node.addEventListener('click', act);
	return node;
}

function clear(node) {
	node.textContent = '';
}

function owns(object, name) {
	return Object.prototype.hasOwnProperty.call(object, name);
}

function count(value) {
	return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

function plural(value, one, many) {
	return count(value) + ' ' + (value === 1 ? one : many);
}

/* The sign of a level: a copy of what the page's symbol holds, which is drawn faster than a use. */
const glyphs = LEVELS.map((level) => {
	const symbol = document.getElementById('g-' + level);
	return add(set(document.createElementNS('http://www.w3.org/2000/svg', 'svg'), {
		'class': 'g s-' + level, width: 14, height: 14, viewBox: '0 0 14 14', 'aria-hidden': 'true',
		focusable: 'false'
	}), [...symbol.childNodes].map((node) => node.cloneNode(true)));
});

function glyph(level) {
	return glyphs[level].cloneNode(true);
}

/* A long name as its dim beginning, which is what gets lost where room is short, and its end. */
function splitName(text) {
	const at = text.indexOf('/') >= 0 ? text.lastIndexOf('/', text.length - 2) :
		text.length > 24 ? text.lastIndexOf('.', text.length - 2) : -1;
	return [text.slice(0, at + 1), text.slice(at + 1)];
}

/* Words that are written from the right keep their place between the slashes. */
function inOrder(text) {
	return /[\u0590-\u08ff]/.test(text) ?
		text.split(/(?<=\/)/).map((word) => word.endsWith('/') ? [make('bdi', '', word.slice(0, -1)), '/'] :
			[make('bdi', '', word)]).flat() : text;
}

function longName(text, className, after) {
	const parts = splitName(text).map(inOrder);
	return set(make('span', className, set(make('bdi', '', [
		make('span', 'hd', parts[0]), make('span', 'tl', parts[1]),
		after ? make('span', 'ln', after) : null
	]), { dir: 'ltr' })), { title: text + after });
}

function place(row) {
	return row[PATH] === null ? make('span', 'nm mono none', 'no file') :
		longName(row[PATH], 'nm mono', row[LINE] ? ':' + row[LINE] : '');
}

/* Of a long dotted rule id its last part; the whole of it is in the facts. */
function rule(row) {
	if (row[CATEGORY] === null)
		return make('span', 'none', '–');
	return row[CATEGORY].includes('/') || row[CATEGORY].length <= 24 ? longName(row[CATEGORY], 'nm', '') :
		set(make('span', 'nm', set(make('bdi', '', splitName(row[CATEGORY])[1]), { dir: 'ltr' })),
			{ title: row[CATEGORY] });
}

/* A fact of a row by its number; undefined: it has none. */
function fact(row, number) {
	for (let i = 0; i < row[FACTS].length; i += 2) {
		if (row[FACTS][i] === number)
			return row[FACTS][i + 1];
	}
	return undefined;
}

/* What is none of the five severities is called what the export calls it. */
function severity(row, className) {
	return make('span', className, [glyph(row[LEVEL]), ' ', make('span', 'so',
		LEVELS[row[LEVEL]] === 'other' ? fact(row, SEVERITY) : WORDS[row[LEVEL]])]);
}

/* What a finding says: a text, or title and message. */
function said(row) {
	return [row[TITLE]].flat().join(': ');
}

function headline(row) {
	const [title, message] = [row[TITLE]].flat();
	return message === undefined ? [title] : [title, make('span', 'ms', ': ' + message)];
}

/* Of a finding what its title does not say, and with a baseline what became of it. */
function tags(row) {
	const flags = row[FLAGS];
	const one = flags & DISMISSED ? ['fp', 'dismissed'] : flags & EXPIRED ? ['ex', 'dismissal expired'] :
		flags & EXPLOITABLE ? ['ex', 'exploitable'] : null;
	/* what is open and new stands in a group of that name */
	const other = flags & NEW && flags & DISMISSED ? ['new', 'new'] : row[WAS] ? ['was', row[WAS]] : null;
	return [one, other].filter(Boolean).flatMap(([name, word]) => [' ', make('span', 'tag ' + name, word)]);
}

/* As --where status has it. */
function status(row) {
	return row[FLAGS] & DISMISSED ? 'dismissed' : row[FLAGS] & EXPIRED ? 'expired' : 'open';
}

function age(row) {
	if (row[AGE] === null)
		return make('span', 'none', '–');
	return row[FLAGS] & OVERDUE ? make('span', 'overdue', ['overdue, ', make('b', '', row[AGE]), ' d']) :
		row[AGE] + ' d';
}

/* The name of a finding's place in the page: bytes outside A-Z a-z 0-9 . _ - become ~hh. */
function anchor(row) {
	if (row[ANCHOR])
		return row[ANCHOR];
	if (/^[A-Za-z0-9._-]*$/.test(row[ID]))
		return 'f-' + row[ID];
	let name = 'f-';
	for (const byte of new TextEncoder().encode(row[ID])) {
		const letter = String.fromCharCode(byte);
		name += /[A-Za-z0-9._-]/.test(letter) ? letter :
			'~' + byte.toString(16).padStart(2, '0');
	}
	return name;
}

/* --- One finding, the same nodes as in the plain list ----------------------------------------- */

/* A line of code; of the first marked one, the columns that are meant are underlined. */
function codeLine(text, marked, number, columns) {
	const children = number ? [make('span', 'n', number), ' '] : [];
	if (columns && columns[0] < columns[1])
		children.push(text.slice(0, columns[0]), make('u', '', text.slice(columns[0], columns[1])),
			text.slice(columns[1]) + '\n');
	else
		children.push(text + '\n');
	return make(marked ? 'mark' : 'span', 'l', children);
}

function code(row) {
	if (!data.code || row[FLAGS] & WITHHELD)
		return [];
	if (!row[CODE])
		return [make('p', 'nocode', 'The export holds no code for this finding.')];
	const [first, from, marks, more, start, end, text] = row[CODE];
	const lines = text.slice(0, -1).split('\n');
	const width = String(first + lines.length - 1).length;
	const out = [set(make('pre', 'code', lines.map((line, i) => codeLine(line,
		i >= from && i < from + marks, first ? String(first + i).padStart(width) : '',
		i === from && marks ? [start, end] : null))),
	{ tabindex: 0, role: 'group', 'aria-label': 'Code' })];
	if (more)
		out.push(make('p', 'cut', plural(more, 'line', 'lines') + ' of code left out.'));
	if (!marks)
		out.push(make('p', 'cut', 'The export does not say which of these lines is meant.'));
	return out;
}

/* Code between backticks, and addresses, which become links. */
function inline(text) {
	return text.split(/(`[^`\n]+`|https:\/\/[^\s<>()[\]`'"]+)/).map((part, i) => {
		if (i % 2 === 0)
			return part;
		if (part[0] === '`')
			return make('code', 'mono', part.slice(1, -1));
		const end = /[.,;:!?]*$/.exec(part)[0];
		const address = part.slice(0, part.length - end.length);
		return make('span', '', [set(make('a', '', address), { href: address, rel: 'noreferrer' }), end]);
	});
}

/* Lines that were broken at a width of 60 to 100 columns belong together; lists and what is indented stay. */
function joined(text) {
	const lines = text.split('\n');
	return lines.reduce((out, line, i) => out + (i === 0 ? '' : lines[i - 1].length >= 60 &&
		lines[i - 1].length <= 100 && /^[^\s\-*+>#|\d]/.test(line) ? ' ' : '\n') + line, '');
}

/* A text as people typed it: fenced code, and between it paragraphs. Lines that are equal stand once. */
function prose(text) {
	return text.split(/^```[^\n]*\n([\s\S]*?)^```[ \t]*$\n?/m).flatMap((part, i) => {
		if (i % 2)
			return [set(make('pre', 'code plain', part), { tabindex: 0, role: 'group', 'aria-label': 'Code' })];
		const counts = new Map();
		for (const line of joined(part).split('\n'))
			counts.set(line, line.trim() ? (counts.get(line) || 0) + 1 : 0);
		const once = new Set();
		const lines = joined(part).split('\n').filter((line) =>
			!line.trim() || (!once.has(line) && once.add(line)));
		const said = lines.map((line) => counts.get(line) > 1 ? line + ' (' + counts.get(line) + ' times)' : line)
			.join('\n').replace(/^\n+|\n+$/g, '');
		return said ? [make('p', 'tx', inline(said))] : [];
	});
}

function texts(row) {
	const out = [];
	for (let i = 0; i < row[TEXTS].length; i += 2)
		out.push(make('h3', '', row[TEXTS][i]), ...prose(row[TEXTS][i + 1]));
	if (row[FIX] !== null)
		out.push(make('h3', '', 'Remediation code'), set(make('pre', 'code plain', row[FIX]),
			{ tabindex: 0, role: 'group', 'aria-label': 'Remediation code' }));
	return out;
}

function notes(row) {
	const out = [];
	for (let i = 1; i < row[NOTES].length; i += 3) {
		const [by, what, text] = row[NOTES].slice(i, i + 3);
		out.push(make('div', 'dec', [make('h3', '', what === null ? 'Note' : what),
			text === null ? make('p', 'tx none', 'No reason given.') : make('p', 'tx', inline(text)),
			by === null ? null : make('p', 'by', by)]));
	}
	if (row[NOTES][0])
		out.push(make('p', 'cut', plural(row[NOTES][0], 'older note', 'older notes') + ' left out.'));
	return out;
}

/* A button that puts a text on the clipboard, and says whether it could. */
function copier(words, text) {
	const copy = button('copy', words, () => navigator.clipboard.writeText(text).then(() => {
		copy.textContent = 'Copied';
	}, () => {
		copy.textContent = 'The browser does not allow it';
	}));
	return copy;
}

function facts(row) {
	const list = make('dl', 'df');
	for (let i = 0; i < row[FACTS].length; i += 2) {
		const [name, mono] = data.labels[row[FACTS][i]];
		list.append(make('div', '', [make('dt', '', name),
			make('dd', mono ? 'mono' : '', mono ? inOrder(row[FACTS][i + 1]) : row[FACTS][i + 1])]));
	}
	const links = [set(make('a', '', 'Link to this finding'), { href: '#' + anchor(row) })];
	if (row[LINK] !== null && /^https:\/\//.test(row[LINK]))
		links.unshift(set(make('a', '', 'Open the source'), { href: row[LINK], rel: 'noreferrer' }));
	for (const link of links)
		list.append(make('div', 'lk', [make('dt', 'vh', 'Link'), make('dd', '', link)]));
	if (navigator.clipboard) {
		const copies = [copier('Copy link', location.href.replace(/#.*/, '') + '#' + anchor(row))];
		if (row[PATH] !== null)
			copies.unshift(copier('Copy location', row[PATH] + (row[LINE] ? ':' + row[LINE] : '')));
		for (const copy of copies)
			list.append(make('div', 'lk', [make('dt', 'vh', 'Copy'), make('dd', '', copy)]));
	}
	return list;
}

function detail(row) {
	return make('div', 'd', [make('div', 'dm', [...code(row), ...texts(row), ...notes(row)]),
		facts(row)]);
}

/* --- Filters: the names and the grammar are those of --where ---------------------------------- */

/* What can be in the fragment; `text` is the search, `overdue` those past their limit. */
const FRESH = { severity: '', category: '', repo_name: '', status: '', false_positive: '', exploitable: '',
	file_path: '', age: '', overdue: '', baseline: '', decision: '', text: '', group: '', sort: '', page: 0 };
let state = Object.assign({}, FRESH);
let unknown = []; /* names in the fragment that are no filter */

/* The items of a list: commas separate, and a backslash takes the next character as it is. */
function items(list) {
	return list.match(/(?:[^\\,]|\\[\s\S])+/g) || [];
}

function literal(item) {
	return item.replace(/\\([\s\S])/g, '$1');
}

function quoted(text) {
	return text.replace(/[\\,*?[]/g, '\\$&').replace(/\.\./g, '\\..');
}

/* A glob over a whole path: * and ? stop at a slash, ** does not, and a leading part of it may be
 * nothing. */
const globs = new Map();
function glob(pattern) {
	if (globs.has(pattern))
		return globs.get(pattern);
	const parts = pattern.match(/\*\*\/|\*\*|\*|\?|\[!?\]?[^\]]*\]|\\[\s\S]|[\s\S]/g) || [];
	const source = parts.map((part, i) => {
		if (part === '**/')
			return i === 0 || parts[i - 1].endsWith('/') ? '(?:[\\s\\S]*/)?' : '[\\s\\S]*/';
		if (part === '**')
			return '[\\s\\S]*';
		if (part === '*')
			return '[^/]*';
		if (part === '?')
			return '[^/]';
		if (part.length > 2 && part[0] === '[')
			return '(?!/)' + part.replace(/^\[!/, '[^').replace(/\\/g, '\\\\');
		return (part.length > 1 ? part.slice(1) : part).replace(/[.+^${}()|\\[\]*?/]/g, '\\$&');
	}).join('');
	let made;
	try {
		made = new RegExp('^' + source + '$', 'u');
	} catch (error) {
		made = /[^\s\S]/; /* no glob: nothing is picked */
	}
	globs.set(pattern, made);
	return made;
}

/* The levels that a list names; high.. is high and critical, ..low low and info. */
function levelsOf(list) {
	const picked = new Set();
	for (const item of items(list)) {
		const range = /^(\w*)\.\.(\w*)$/.exec(item);
		if (!range) {
			picked.add(LEVELS.indexOf(literal(item)));
			continue;
		}
		const worst = range[2] ? LEVELS.indexOf(range[2]) : 0;
		const mildest = range[1] ? LEVELS.indexOf(range[1]) : 4;
		for (let i = worst; i >= 0 && i <= mildest; i++)
			picked.add(i);
	}
	return picked;
}

function agesOf(list) {
	return items(list).map((item) => {
		const range = /^(\d*)\.\.(\d*)$/.exec(item);
		if (!range)
			return [Number(item), Number(item)];
		return [range[1] === '' ? 0 : Number(range[1]), range[2] === '' ? Infinity : Number(range[2])];
	});
}

/* What search looks in, made in slices while nobody waits for it. */
const haystack = [];
function fillHaystack(end) {
	for (let i = haystack.length; i < end; i++) {
		const row = rows[i];
		const parts = [said(row), row[PATH] === null ? '' : row[PATH] + ':' + row[LINE], row[ID]];
		for (let k = 1; k < row[TEXTS].length; k += 2)
			parts.push(row[TEXTS][k]);
		for (let k = 1; k < row[FACTS].length; k += 2)
			parts.push(row[FACTS][k]);
		for (let k = 3; k < row[NOTES].length; k += 3)
			parts.push(row[NOTES][k] || '');
		haystack.push(parts.join('\n').toLowerCase());
	}
}

function fillInSlices() {
	fillHaystack(Math.min(total, haystack.length + 1000));
	if (haystack.length < total)
		setTimeout(fillInSlices, 10);
}

/* For each row whether it has every word; the last answer is kept. */
let lastSearch = '', lastHits = null;
function searchHits(text) {
	if (text === lastSearch && lastHits)
		return lastHits;
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	fillHaystack(total);
	lastSearch = text;
	lastHits = haystack.map((straw) => words.every((word) => straw.includes(word)));
	return lastHits;
}

function flagTest(list, bit) {
	const values = items(list);
	return (row) => values.includes(String(Boolean(row[FLAGS] & bit)));
}

function equalsTest(list, at) {
	const values = new Set(items(list).map(literal));
	return (row) => values.has(row[at]);
}

function pathTest(list) {
	const patterns = items(list).map(glob);
	return (row) => row[PATH] !== null && patterns.some((pattern) => pattern.test(row[PATH]));
}

const makers = {
	severity: (value) => {
		const picked = levelsOf(value);
		return (row) => picked.has(row[LEVEL]);
	},
	category: (value) => equalsTest(value, CATEGORY),
	repo_name: (value) => equalsTest(value, REPO),
	status: (value) => {
		const names = items(value);
		return (row) => names.includes(status(row));
	},
	false_positive: (value) => flagTest(value, DISMISSED),
	exploitable: (value) => flagTest(value, EXPLOITABLE),
	overdue: (value) => flagTest(value, OVERDUE),
	file_path: pathTest,
	baseline: (value) => {
		const names = items(value);
		return (row) => names.includes(row[CLASS]) || names.includes(row[FLAGS] & NEW ? 'new' : 'carried');
	},
	age: (value) => {
		const ranges = agesOf(value);
		return (row) => row[AGE] !== null && ranges.some((r) => row[AGE] >= r[0] && row[AGE] <= r[1]);
	},
	decision: (value) => {
		const picked = new Set(items(value).flatMap((name) => owns(data.decisions, name) ? data.decisions[name] : []));
		return (row, i) => picked.has(i);
	},
	text: (value) => {
		const hits = searchHits(value);
		return (row, i) => hits[i];
	},
};

/* For each row a bit for each filter that it does not pass. */
const failures = new Uint16Array(total);
const filters = Object.keys(makers);

function judge() {
	failures.fill(0);
	filters.forEach((name, bit) => {
		if (!state[name])
			return;
		const test = makers[name](state[name]);
		rows.forEach((row, i) => {
			if (!test(row, i))
				failures[i] |= 1 << bit;
		});
	});
}

/* The rows that pass all filters but one. */
function passing(skipped) {
	const mask = ~(1 << filters.indexOf(skipped));
	return rows.filter((row, i) => (failures[i] & mask) === 0);
}

/* --- Order: each is made once ----------------------------------------------------------------- */

const keys = {
	severity: (row) => LEVELS[row[LEVEL]] === 'other' ? data.unknown + 0.5 : row[LEVEL],
	title: said,
	file_path: (row) => row[PATH] === null ? '\uffff' : row[PATH],
	category: (row) => row[CATEGORY] === null ? '\uffff' : row[CATEGORY],
	age: (row) => row[AGE] === null ? -1 : row[AGE],
};
const orders = new Map();

/* sort: a name, with - before it the other way round. Findings that are alike in it stay as they were. */
function orderBy(sort) {
	if (orders.has(sort))
		return orders.get(sort);
	const order = rows.map((row, i) => i);
	const name = sort.replace('-', ''), sign = sort[0] === '-' ? -1 : 1;
	if (owns(keys, name)) {
		const values = rows.map(keys[name]);
		const line = (i) => name === 'file_path' ? rows[i][LINE] || Infinity : 0;
		order.sort((a, b) => values[a] < values[b] ? -sign : values[a] > values[b] ? sign :
			line(a) < line(b) ? -sign : line(a) > line(b) ? sign : a - b);
	}
	orders.set(sort, order);
	return order;
}

/* --- Controls ---------------------------------------------------------------------------------- */

const search = set(make('input'), { type: 'search', placeholder: 'Search',
	'aria-label': 'Search title, place, facts, texts and notes', autocomplete: 'off',
	spellcheck: 'false' });

/* A row of buttons; each shows what a click on it would leave. */
function chips(name, label, values) {
	const node = set(make('div', values.length > 1 ? 'seg' : 'seg alone'),
		{ role: 'group', 'aria-label': label });
	const list = values.map(([value, word, sign, of]) => {
		const number = make('b', '', '0');
		const chip = set(button('', [sign, make('span', 'sw', word), number],
			() => pick(name, value)), { 'aria-pressed': 'false' });
		node.append(chip);
		return { value, chip, number, of };
	});
	return { name, node, list };
}

const has = (test) => rows.some(test);
const groups = [
	chips('severity', 'Severity', LEVELS.map((level, i) =>
		[level, WORDS[i], glyph(i), (row) => row[LEVEL] === i])
		.filter((choice) => has(choice[3]))),
];
/* What the page counts as open: a dismissal that has expired no longer counts. */
const OPEN = 'open,expired';
const judged = has((row) => row[FLAGS] & (DISMISSED | EXPIRED));
if (judged)
	groups.push(chips('status', 'Status', [
		[OPEN, 'Open', null, (row) => !(row[FLAGS] & DISMISSED)],
		['expired', 'Expired', null, (row) => row[FLAGS] & EXPIRED],
		['dismissed', 'Dismissed', null, (row) => row[FLAGS] & DISMISSED],
	].filter((choice) => has(choice[3]))));
if (data.compared)
	groups.push(chips('baseline', 'Since the baseline', [
		['new', 'New', null, (row) => row[FLAGS] & NEW],
		['carried', 'Carried over', null, (row) => !(row[FLAGS] & NEW)],
	].filter((choice) => has(choice[3]))));
if (has((row) => row[FLAGS] & EXPLOITABLE))
	groups.push(chips('exploitable', 'Exploitable',
		[['true', 'Exploitable', null, (row) => row[FLAGS] & EXPLOITABLE]]));
if (has((row) => row[FLAGS] & OVERDUE))
	groups.push(chips('overdue', 'Overdue', [['true', 'Overdue', null, (row) => row[FLAGS] & OVERDUE]]));

/* How many rows have each text at a place. */
function tally(list, at) {
	const counts = new Map();
	for (const row of list)
		counts.set(row[at], (counts.get(row[at]) || 0) + 1);
	return counts;
}

/* A menu of the names that occur most, in their order. */
function choice(name, at, label, all) {
	const names = [...tally(rows, at)].filter((entry) => entry[0] !== null)
		.sort((a, b) => b[1] - a[1]).slice(0, CHOICES).map((entry) => entry[0]).sort();
	const node = set(make('select'), { 'aria-label': label });
	const first = make('option', '', all);
	first.value = '';
	node.append(first);
	const options = new Map(names.map((text) => {
		const option = make('option', '', text);
		option.value = quoted(text);
		node.append(option);
		return [text, option];
	}));
	node.addEventListener('change', () => {
		state[name] = node.value;
		go();
	});
	return { name, at, node, options };
}

const choices = [choice('category', CATEGORY, 'Rule', 'All rules')];
const repositories = choice('repo_name', REPO, 'Repository', 'All repositories');
if (repositories.options.size > 1)
	choices.push(repositories);

const grouping = set(make('select'), { 'aria-label': 'Group by' });
for (const [name, word] of [['', 'Not grouped'], ['category', 'By rule'], ['folder', 'By folder'],
	...(choices.length > 1 ? [['repo_name', 'By repository']] : [])])
	grouping.append(set(make('option', '', word), { value: name }));
grouping.options[0].textContent = data.compared ? 'By what changed' : 'Not grouped';
grouping.addEventListener('change', () => {
	state.group = grouping.value;
	folded.clear();
	go();
});

const hits = set(make('span', 'hit'), { role: 'status', 'aria-live': 'polite' });
const tokens = make('div', 'tokens');
const wipe = button('wipe', 'Clear', () => {
	start();
	search.focus();
});
const tools = set(make('div', 'tools', [make('div', 'trow', [
	make('div', 'look', [search, ...choices.map((one) => one.node), grouping, make('span', 'end', [wipe, hits])]),
	make('div', 'pickers', groups.map((group) => group.node))]), tokens]),
{ role: 'search', 'aria-label': 'Filter findings', id: 'filter', tabindex: -1 });

const dated = has((row) => row[AGE] !== null);
const columns = [['severity', 'Severity', 'w1'], ['title', 'Finding', 'w2'],
	['file_path', 'Location', 'w3'], ['category', 'Rule', 'w4'], ...(dated ? [['age', 'Age', 'w5']] : [])];
const heads = columns.map(([name, word, className]) =>
	set(make('th', className, button('', word, () => sortBy(name))), { scope: 'col' }));
const body = make('tbody');
const table = make('table', 'list', [make('caption', 'vh', 'Findings'),
	make('thead', '', make('tr', '', heads)), body]);
const previous = button('', 'Previous', () => turn(-1));
const next = button('', 'Next', () => turn(1));
const range = make('span');
const pager = set(make('nav', 'pager', [range, previous, next]), { 'aria-label': 'Pages of the list' });
const reason = make('span');
const nothing = make('p', 'nohit', [reason, ' ', button('', 'Clear the filter', start)]);
const printed = make('div', 'printed');

/* A second click turns the order round, a third one brings back the first; ages begin with the
 * oldest. */
function sortBy(name) {
	const cycle = name === 'age' ? ['-age', 'age', ''] : [name, '-' + name, ''];
	state.sort = cycle[(cycle.indexOf(state.sort) + 1) % 3];
	go();
}

function turn(by) {
	state.page += by;
	open.clear();
	go(true);
	tools.scrollIntoView();
}

function start() {
	state = Object.assign({}, FRESH);
	unknown = [];
	search.value = '';
	go();
}

/* Several severities can be picked, of anything else one. */
function pick(name, value) {
	if (name === 'severity') {
		const picked = levelsOf(state.severity);
		const level = LEVELS.indexOf(value);
		if (!picked.delete(level))
			picked.add(level);
		state.severity = LEVELS.filter((other, i) => picked.has(i)).join(',');
	} else {
		state[name] = state[name] === value ? '' : value;
	}
	go();
}

/* --- The list ---------------------------------------------------------------------------------- */

let shown = []; /* numbers of the rows that the filters leave, in order */
const open = new Set();
const numbers = new WeakMap(); /* of the rows that are drawn */

function listRow(i) {
	const row = rows[i];
	const title = set(make('button', '', headline(row)), { type: 'button', 'aria-expanded': 'false' });
	const line = set(make('tr', row[FLAGS] & DISMISSED ? 'row isfp' : 'row', [
		make('td', 'c1', severity(row, 'sv')),
		make('td', 'c2', make('div', 'c2i', [title, ...tags(row)])),
		make('td', 'c3', place(row)), make('td', 'c4', rule(row)), dated ? make('td', 'c5', age(row)) : null,
	]), { id: anchor(row) });
	numbers.set(line, i);
	line.addEventListener('click', (event) => {
		/* who marks text does not mean to open anything */
		if (event.target.closest('button') || String(window.getSelection()) === '')
			toggle(line, i);
	});
	return line;
}

function toggle(line, i) {
	const opens = !line.classList.contains('isopen');
	line.querySelector('button').setAttribute('aria-expanded', String(opens));
	line.classList.toggle('isopen', opens);
	if (!opens) {
		line.nextSibling.remove();
		open.delete(i);
		return;
	}
	const cell = set(make('td', '', detail(rows[i])), { colspan: columns.length });
	line.after(make('tr', 'det', cell));
	open.add(i);
}

/* With a baseline findings stand in groups by what became of them, else by what is asked for. */
const GROUPS = ['New', 'Carried over', 'Dismissed'];

function groupOf(row) {
	return row[FLAGS] & DISMISSED ? 2 : row[FLAGS] & NEW ? 0 : 1;
}

const groupings = {
	category: (row) => row[CATEGORY] === null ? 'no rule' : row[CATEGORY],
	folder: (row) => row[PATH] === null ? 'no file' : row[PATH].slice(0, row[PATH].lastIndexOf('/') + 1) || './',
	repo_name: (row) => row[REPO] === null ? 'no repository' : row[REPO],
};

/* Lines of the list: numbers of rows, and heads of groups. A group stands where its first finding would. */
let lines = [];
const folded = new Set(['Dismissed']);

/* Dismissed findings count where a filter asks for them; else they are a folded group behind the others. */
function counts(row) {
	return Boolean(state.status || state.false_positive || state.decision) || !(row[FLAGS] & DISMISSED);
}

/* How many of the findings that are shown count. */
let counted = 0;

function arrange() {
	const first = shown.filter((i) => counts(rows[i])), last = shown.filter((i) => !counts(rows[i]));
	const of = owns(groupings, state.group) ? groupings[state.group] :
		data.compared ? (row) => GROUPS[groupOf(row)] : null;
	const byName = new Map(state.group || !of ? [] : GROUPS.map((name) => [name, []]));
	for (const i of of ? first : []) {
		const name = of(rows[i]);
		if (!byName.has(name))
			byName.set(name, []);
		byName.get(name).push(i);
	}
	const grouped = [...byName].filter(([, list]) => list.length);
	counted = first.length;
	shown = (of ? grouped.flatMap(([, list]) => list) : first).concat(last);
	if (last.length)
		grouped.push(['Dismissed', last]);
	lines = (of ? [] : first).concat(grouped.flatMap(([name, list]) => {
		/* what is all there is to see is not hidden */
		const closed = folded.has(name) && grouped.length + (of ? 0 : first.length) > 1;
		return [{ name, closed, size: list.length }, ...(closed ? [] : list)];
	}));
}

function groupHead(group) {
	const act = button('fold', [group.name + ' ', make('b', '', count(group.size))], () => {
		if (!folded.delete(group.name))
			folded.add(group.name);
		go(true);
		const again = [...body.querySelectorAll('.fold')].find((one) => one.firstChild.data === group.name + ' ');
		if (again)
			again.focus();
	});
	act.setAttribute('aria-expanded', String(!group.closed));
	return make('tr', 'grp', set(make('th', '', act), { colspan: columns.length, scope: 'rowgroup' }));
}

function draw() {
	const from = state.page * PAGE;
	const to = Math.min(lines.length, from + PAGE);
	clear(body);
	for (const i of lines.slice(from, to)) {
		if (typeof i !== 'number') {
			body.append(groupHead(i));
			continue;
		}
		const line = listRow(i);
		body.append(line);
		if (open.has(i))
			toggle(line, i);
	}
	table.hidden = !shown.length;
	nothing.hidden = Boolean(shown.length);
	pager.hidden = lines.length <= PAGE;
	const findings = (list) => list.filter((i) => typeof i === 'number').length;
	const before = findings(lines.slice(0, from));
	range.textContent = count(before + 1) + '–' + count(before + findings(lines.slice(from, to))) + ' of ' +
		count(findings(lines));
	previous.disabled = !state.page;
	next.disabled = to >= lines.length;
}

function drawChips(group) {
	const left = passing(group.name);
	const pressed = group.name === 'severity' ?
		LEVELS.filter((level, i) => levelsOf(state.severity).has(i)) : [state[group.name]];
	for (const one of group.list) {
		const number = left.reduce((sum, row) => sum + (one.of(row) && (group.name === 'status' || counts(row)) ? 1 : 0), 0);
		one.number.textContent = count(number);
		one.number.className = number ? '' : 'z';
		one.chip.setAttribute('aria-pressed', String(pressed.includes(one.value)));
	}
}

function drawChoice(one) {
	const sizes = tally(passing(one.name).filter(counts), one.at);
	for (const [text, option] of one.options)
		option.textContent = text + '  (' + count(sizes.get(text) || 0) + ')';
	one.node.value = state[one.name];
}

function token(text, label, act) {
	tokens.append(set(button('', [make('span', 'mono', text), ' ×'], act), { 'aria-label': label }));
}

/* Filters that no other control shows. */
function drawTokens() {
	clear(tokens);
	for (const name of unknown)
		token('No such filter: ' + name, 'Dismiss', () => {
			unknown = [];
			go();
		});
	const visible = new Set([...groups.filter((group) => group.name === 'severity' ?
		[...levelsOf(state.severity)].every((level) => level >= 0 && group.list.some((one) => one.value === LEVELS[level])) :
		group.list.some((one) => one.value === state[group.name])).map((group) => group.name),
	...choices.filter((one) => one.node.selectedIndex >= 0).map((one) => one.name), 'text']);
	for (const name of filters) {
		if (!state[name] || visible.has(name))
			continue;
		const text = name + '=' + state[name];
		token(text, 'Remove filter ' + text, () => {
			state[name] = '';
			go();
		});
	}
}

/* The filter as a command; empty where the page alone has such a filter. What is counted is open. */
function command() {
	if (state.text || state.overdue || state.baseline || state.decision || !data.list)
		return '';
	const terms = filters.filter((name) => state[name]).map((name) => [name, state[name]]);
	if (!state.status)
		terms.push(['status', 'open,expired']);
	return 'retriage list ' + terms.map(([name, value]) => '--where \'' + name + '=' +
		value.replace(/'/g, "'\\''") + '\'').join(' ') + data.list;
}

/* How many were promised by the number that was clicked; 0: none was. */
let promised = 0;

/* How many there are; and where not all are listed, why fewer than was said. */
function drawHits() {
	const missing = promised > counted ? promised : 0;
	const all = rows.filter(counts).length;
	clear(hits);
	add(hits, missing ? [make('b', '', count(counted)), ' listed of ' + count(missing) + ' findings'] :
		[make('b', '', count(counted)), ' of ' + plural(all, 'finding', 'findings')]);
	clear(reason);
	if (total >= data.total) {
		reason.append('No finding matches.');
		return;
	}
	add(reason, [missing ? 'None of the ' + plural(missing, 'finding is', 'findings is') + ' listed here' :
		'No listed finding matches', ': the page holds the worst ' + count(total) + ' of ' + count(data.total) + '.']);
	if (command())
		add(reason, [' ', make('code', 'mono', command()), ' shows them.']);
}

/* Filter, order and draw. keepsPage: the page and what is open stay. */
function go(keepsPage) {
	const name = state.sort.replace('-', '');
	judge();
	if (!keepsPage) {
		state.page = 0;
		open.clear();
	}
	shown = orderBy(state.sort).filter((i) => failures[i] === 0);
	arrange();
	if (state.page * PAGE >= lines.length)
		state.page = 0;
	groups.forEach(drawChips);
	choices.forEach(drawChoice);
	grouping.value = state.group;
	heads.forEach((head, i) => {
		if (columns[i][0] === name)
			head.setAttribute('aria-sort', state.sort[0] === '-' ? 'descending' : 'ascending');
		else
			head.removeAttribute('aria-sort');
	});
	drawHits();
	promised = 0;
	drawTokens();
	wipe.hidden = !filters.some((filter) => state[filter]);
	draw();
	save();
}

/* --- The fragment ------------------------------------------------------------------------------ */

let ready = false, written = '';

function save() {
	const parts = [];
	for (const name of Object.keys(FRESH)) {
		const value = name === 'page' ? (state.page ? String(state.page + 1) : '') : state[name];
		if (value)
			parts.push(name + '=' + encodeURIComponent(value).replace(/%(2F|2C|3A)/g, decodeURIComponent));
	}
	written = parts.length ? '#?' + parts.join('&') : '';
	if (!ready || (!written && !location.hash.startsWith('#?')))
		return;
	try {
		history.replaceState(null, '', written || '#findings');
	} catch (error) {
		/* a sandbox without history: filters work, the address does not show them */
	}
}

const FLAG_NAMES = ['false_positive', 'exploitable', 'overdue'];

function readPart(part) {
	const at = part.indexOf('=');
	const name = at < 0 ? part : part.slice(0, at);
	/* a flag by itself is one that is set */
	let value = at < 0 ? 'true' : part.slice(at + 1);
	try {
		value = decodeURIComponent(value);
	} catch (error) {
		/* it stands for itself */
	}
	if (!owns(FRESH, name) || (at < 0 && !FLAG_NAMES.includes(name)))
		unknown.push(name);
	else if (name === 'page')
		state.page = Math.max(0, (parseInt(value, 10) || 1) - 1);
	else
		state[name] = name === 'severity' ?
			LEVELS.filter((level, i) => levelsOf(value).has(i)).join(',') || value : value;
}

function readFilters(text) {
	state = Object.assign({}, FRESH);
	unknown = [];
	text.split('&').filter(Boolean).forEach(readPart);
	search.value = state.text;
	open.clear();
	go(true);
	tools.scrollIntoView();
}

/* Show a finding by the name of its place; filters that hide it are cleared. */
function showFinding(name) {
	const at = rows.findIndex((row) => anchor(row) === name);
	if (at < 0)
		return;
	if (!shown.includes(at))
		start();
	folded.clear(); /* and so is the group that holds it */
	arrange();
	state.page = Math.floor(lines.indexOf(at) / PAGE);
	open.add(at);
	draw();
	const line = document.getElementById(name);
	line.scrollIntoView();
	line.querySelector('button').focus({ preventScroll: true });
}

function readFragment() {
	const hash = location.hash;
	if (hash.startsWith('#?') && hash !== written)
		readFilters(hash.slice(2));
	else if (hash.startsWith('#f-'))
		showFinding(hash.slice(1));
}

/* --- Keys: arrows between rows, Escape closes; only while the list has the focus --------------- */

function keyTarget(key, at, last) {
	const steps = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last };
	return owns(steps, key) ? steps[key] : -1;
}

body.addEventListener('keydown', (event) => {
	const from = event.target.closest('tr');
	if (!from || from.classList.contains('grp'))
		return;
	const drawn = [...body.querySelectorAll('tr.row')];
	const at = drawn.indexOf(from.classList.contains('det') ? from.previousSibling : from);
	if (event.key === 'Escape') {
		if (drawn[at].classList.contains('isopen'))
			toggle(drawn[at], numbers.get(drawn[at]));
		drawn[at].querySelector('button').focus();
		return;
	}
	const to = keyTarget(event.key, at, drawn.length - 1);
	if (drawn[to] && event.target.tagName !== 'PRE') { /* where arrows scroll the code */
		event.preventDefault();
		drawn[to].querySelector('button').focus();
	}
});

let pause = 0;
search.addEventListener('input', () => {
	clearTimeout(pause);
	pause = setTimeout(() => {
		state.text = search.value.trim();
		go();
	}, 60);
});

/* --- Labels of the charts become filters: made here, so that none is ever dead ----------------- */

/* The number that a label is of: in its row, or in itself. */
function numberBeside(label) {
	if (label.hasAttribute('data-n'))
		return Number(label.getAttribute('data-n'));
	const row = label.closest('tr');
	const cells = row ? [...row.querySelectorAll('td.num, .heat td')] : [];
	const of = cells.length ? cells : label.closest('thead') ?
		[...document.querySelectorAll('.figs .open .big')].slice(label.cellIndex - 1, label.cellIndex) : [label];
	return of.reduce((sum, node) => sum + Number((/[\d,]+/.exec(node.textContent) || ['0'])[0].replace(/,/g, '')), 0);
}

for (const label of document.querySelectorAll('[data-f]')) {
	const name = label.getAttribute('data-f');
	const value = label.getAttribute('data-v');
	if (!value)
		continue;
	const act = button('pick', [...label.childNodes], () => {
		promised = numberBeside(label);
		state = Object.assign({}, FRESH, { status: !judged ? '' : label.hasAttribute('data-all') ? OPEN + ',dismissed' : OPEN });
		readPart(name + '=' + encodeURIComponent(/^(?:category|repo_name|file_path)$/.test(name) ?
			quoted(value) + (name === 'file_path' && value.endsWith('/') ? '*' : '') : value));
		if (label.hasAttribute('data-new'))
			state.baseline = 'new';
		search.value = '';
		go();
		tools.scrollIntoView();
	});
	label.append(act);
}

/* --- Print: what the filter shows, details open; with a baseline those of new ones and of few ---- */

function printedFinding(row) {
	const whole = shown.length <= WHOLE || (data.compared && groupOf(row) === 0);
	const node = make('details', (row[FLAGS] & DISMISSED ? 'f isfp' : 'f') + (whole ? '' : ' brief'), [
		make('summary', '', [severity(row, 'c1 sv'),
			make('span', 'c2', [make('span', 'tt', headline(row)), ...tags(row)]),
			make('span', 'c3', place(row)), dated ? make('span', 'c5', age(row)) : null]), ...(whole ? [detail(row)] : [])]);
	node.open = true;
	return node;
}

window.addEventListener('beforeprint', () => {
	const last = Math.min(PRINT, shown.length);
	let says = shown.length === total ? 'All ' + plural(total, 'listed finding', 'listed findings') :
		count(shown.length) + ' of ' + plural(total, 'listed finding', 'listed findings');
	if (last < shown.length)
		says += '; printed are the first ' + count(last);
	if (written)
		says += '. Filter: ' + decodeURIComponent(written.slice(2));
	clear(printed);
	printed.append(make('p', 'plainnote', says + '.'));
	let group = -1;
	for (const i of shown.slice(0, last)) {
		if (data.compared && groupOf(rows[i]) !== group) {
			group = groupOf(rows[i]);
			printed.append(make('h3', '', GROUPS[group]));
		}
		printed.append(printedFinding(rows[i]));
	}
});
window.addEventListener('afterprint', () => clear(printed));

/* --- Begin ------------------------------------------------------------------------------------- */

document.querySelector('.skip').after(set(make('a', 'skip', 'Skip to the filter'), { href: '#filter' }));
document.getElementById('plain').remove();
document.getElementById('plainnote').remove();
add(app, [tools, table, nothing, pager]);
app.after(printed);
go();
readFragment();
ready = true;
setTimeout(fillInSlices, 300);
window.addEventListener('hashchange', readFragment);
document.documentElement.setAttribute('data-ready', 'true');
}());
