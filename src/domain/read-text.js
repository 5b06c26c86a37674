// Reads typed and pasted text: the names in lists, tables, e-mail texts and prose, as people and chat
// assistants write them. The search page loads this file as it is.
import { bareTlds, plainOf } from './plain-text.js';
import { nameTitle, tableIn } from './text-table.js';
import { hostOf, interpret, invalid, toAscii } from './typed-text.js';

export const maxNames = 1000;

/**
 * Reads a text like `interpret`. One with several names is
 * `{ kind: 'list', names: string[][], skipped: string[], omitted: number, joined?: string }`:
 * `names` are the labels of each name, `skipped` what stands in the place of a name but is none,
 * `omitted` counts the lines without a name, and `joined` is another reading, as one name. A single
 * name of several words has `words`, its reading as several names.
 */
export function readText(text) {
  const typed = text.trim();
  const object = typed.length < 100 && interpret(typed);
  if (object?.kind === 'object') return object;

  const lines = plainOf(stringsIn(text))
    .split('\n')
    .filter((line) => /[^\s\p{P}]/u.test(line));
  if (lines.length === 1 && inlineList.test(lines[0]))
    lines.push(...lines.pop().split(/\s(?=\(?\d{1,2}[.)]\s|[•▪●]\s)/));
  if (lines.length === 0)
    return /[\p{L}\p{N}]/u.test(typed) ? noName : interpret(typed === '-' ? '' : typed);
  const readings = itemsIn(lines).map((item) => ({ ...item, ...readItem(item) }));
  return combined(readings, typed);
}

/** Returns the strings in a JSON text, a line each: the full names, else those with a title, else all. */
function stringsIn(text) {
  if (!/^\s*[[{]\s*["[{]/.test(text)) return text;
  const strings = [];
  const keep = (title, value) => typeof value === 'string' && strings.push({ title, value });
  try {
    JSON.parse(text, (title, value) => (keep(title, value), value));
  } catch {
    return text; // such as a Markdown link
  }
  const full = strings.filter(({ value }) => isFullName(value));
  const titled = strings.filter(({ title }) => nameTitle.test(title));
  const kept = [full, titled, strings].find((each) => each.length > 0) ?? [];
  return kept.map(({ value }) => value).join('\n');
}

const inlineList = /^\s*(?:\(?1[.)]|[•▪●])\s/;
const noName = invalid('There is no domain name in this text.');

/** Returns the items of a text: the cells of a table, or its lines, with whether they are prose. */
function itemsIn(lines) {
  const table = tableIn(lines, isFullName);
  if (table) return table.map((item) => ({ ...lineOf(item.text), isProse: item.isProse }));
  const parsed = withMarkers(lines).map(lineOf);
  const level = levelOf(parsed);
  const isLetter = parsed.some(({ text }) => isGreeting.test(text));
  const hasProse = parsed.some(
    (line) => isSentence(line.text) && (isLetter || fullNamesIn(line.text).length > 0),
  );
  let isInCategory = false;
  return parsed.map((line, at) => {
    const isHead = at === 0 && parsed.length > 1 && nameTitle.test(line.text);
    if (line.isTitle) isInCategory = line.kind === level?.kind;
    const isItem = level
      ? line.kind === level.kind && (line.indent <= level.indent || isInCategory)
      : !hasProse || line.kind !== undefined;
    return { ...line, isProse: !isItem || isHead || line.isTitle || isSentence(line.text) };
  });
}

const isGreeting =
  /^(?:hi|hello|hey|dear|thanks|thank you|cheers|(?:best|kind|warm) regards|best|regards|(?:i )?hope (?:this|these|that|it|you)|good luck)\b[^.]{0,30}[,!]?$/i;

const bullet =
  /^(?:[-*+>~=–—―][ \t]+|[•‣⁃◦▪▫●○■□◆◇►▸➤➔➜→»›✓✔✗✘∙·]\s*|(?:(?!\p{ASCII})[\p{Emoji}\p{So}\u200d])+\s+|\[[ x✓✔]?\]\s*)/iu;
const number =
  /^(?:(?:[([]?\d{1,3}[.)\]:]+|\d{1,3}[ \t]+[-–—]|#\d{1,3}[.:)]?|\(?(?:[a-z]|[ivx]{2,5})[.)])\s+|\d{1,3}\)|(?:option|idea|name|no|choice|suggestion|variant)\.?\s*#?(?:\d{1,3}|[a-z])\s*(?:[:)]|\.(?!\S)|[-–—](?=\s)))\s*/i;
const key =
  /^(?:(?:[\w’']+ ){0,3}(?:domains?|names?|ideas?|options?|picks?|suggestions?|alternatives?|favorites?)|brand|website|site|url|web|host|name server|e-?mail|contacts?|from|to|b?cc|reply-to|(?:pro )?tip|note|hint|bonus)\s*[:=]\s*(?=\S)/i;
const glued = /^(?:\d{1,3}(?:\.|\s+)|[-+])(?=[^\d\s.])/;

/**
 * Marks lines that all start with a number or a hyphen, which alone would be part of a name. Lines
 * such as `360.com` are names.
 */
function withMarkers(lines) {
  const areGlued = lines.length > 1 && lines.every((line) => isGlued(line.trim()));
  return areGlued ? lines.map((line) => line.trim().replace(glued, '- ')) : lines;
}

function isGlued(line) {
  return glued.test(line) && !bareTld.test(line.replace(glued, ''));
}

/** Before one name. */
const maxMarkers = 8;

/** Returns a line without its marker: the kind and the indentation of the marker, and its text. */
function lineOf(line) {
  const indent = line.replaceAll('\t', '    ').search(/\S/);
  let text = line.trim();
  let kind;
  let isHeading = false;
  // A single number sign starts a comment, as in files of settings.
  if (/^#(?![#\d])/.test(text)) text = '';
  for (let before, count = 0; text !== before && count < maxMarkers; count++) {
    before = text;
    text = text.replace(/^#{2,6}\s+/, () => ((isHeading = true), ''));
    text = text.replace(bullet, () => ((kind ??= 'bullet'), ''));
    text = text.replace(/^(?:\*\*|__|`)/, () => ((kind ??= isHeading ? kind : 'bold'), ''));
    text = text.replace(number, () => ((kind = 'number'), ''));
  }
  text = text
    .replace(symbols, (symbol) => (symbol === text ? text : ' '))
    .replaceAll(/[*`“”„"«»]+|~~|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
    .replace(key, '')
    .trim();
  const isTitle = text.endsWith(':') || (isHeading && kind === undefined);
  return { kind, indent, text: text.replace(/:$/, ''), isTitle };
}

/** Returns the kind and the indentation of the markers that a list has, if it has two of them. */
function levelOf(lines) {
  for (const kind of ['number', 'bullet', 'bold']) {
    const marked = lines.filter((line) => line.kind === kind);
    const items = marked.filter(({ isTitle }) => !isTitle);
    if (marked.length > 1 && items.length > 0)
      return { kind, indent: Math.min(...items.map(({ indent }) => indent)) };
  }
  return undefined;
}

/** Words of symbols and emoji only. */
const symbols = /(?<=^|\s)(?:(?!\p{ASCII})[\p{Emoji}\p{So}\u200d])+(?=\s|$)/gu;

const separator = /\s[-–—―−]+>?|(?<![-–—―−])[-–—―−]+\s|[-=]>|[→⇒➜➔⟶—]|\.{3}|:\s|\s(?:\/\/|#|=)/u;

/** Returns the names in an item, and what is in the place of a name but is none. */
function readItem({ text, isProse }) {
  if (isProse) return { names: fullNamesIn(text), skipped: [] };
  const comments = [];
  const bare = text.replaceAll(/(?<!\/\/)[([{]([^)\]}]*)[)\]}]?/g, (_match, comment) => {
    comments.push(comment);
    return ' ';
  });
  const cells = cellsOf(bare);
  const areCommented = cells.length > 1 && cells.every((cell) => separator.test(cell));
  const heads = (areCommented ? cells : [bare]).map((each) => {
    const [match] = separator.exec(each) ?? [];
    if (match === undefined) return each;
    const at = each.indexOf(match);
    comments.push(each.slice(at + match.length));
    return each.slice(0, at);
  });
  const parts = heads.flatMap(cellsOf).flatMap(alternativesIn).flatMap(namesIn);
  return {
    names: [...parts.filter(({ kind }) => kind === 'name'), ...comments.flatMap(fullNamesIn)],
    skipped: parts.filter(({ kind }) => kind === 'invalid' || kind === 'object'),
    isAlternatives: parts.length > heads.flatMap(cellsOf).length,
  };
}

const bareTld = new RegExp(`^(?:${bareTlds})$`, 'i');
const nameAndTld = new RegExp(`^(\\S+) (${bareTlds})$`, 'i');

/** Splits a line at commas and similar characters, but not within the path of a URL. */
function cellsOf(line) {
  const cells = line.split(line.includes('//') ? /[\t,;|、](?=\s|\w+:\/\/|$)/ : /[\t,;|、]/);
  const swapped = cells.length === 2 && bareTld.test(cells[1]);
  return swapped ? [cells.join('.')] : cells.map((cell) => cell.trim()).filter(Boolean);
}

const connector = /(?:^| )(?:or|and|&|\+|vs\.?|versus|\/)(?= |$)/i;

/** Splits a part at `or`, `and`, `&`, `vs.` and `/`. */
function alternativesIn(part) {
  const words = part
    .replaceAll(/\s+/g, ' ')
    .split(connector)
    .map((each) => each.trim())
    .filter(Boolean);
  return words.flatMap((word) => {
    const pieces = word.split(/[/&]/);
    const isList =
      !/[:?@\\]|\/\/|\s/.test(word) &&
      pieces.every(Boolean) &&
      (pieces.every(isFullName) || !isFullName(pieces[0]));
    return isList ? pieces : [word];
  });
}

const onlyTld = /^\.(?:(?:ac|co|com|edu|gov|net|org)\.)?[\p{L}\p{M}]{2,}$/iu;
const leadIn = /^(?:see|visit|check|buy|want|like|about|also|at|on|via|from|is)$/i;
const filler = /^(?:either|maybe|perhaps|etc\.?|e\.g\.|i\.e\.)(?=\s|$)/i;

const slashed = /(?<=^|\s)([^\s./:@]+)\/(?=[^\s/])/g;

/** Returns the readings of a part: its full names if it has words beside them, else one name. */
function namesIn(part) {
  const words = part.replace(filler, '').split(/\s+/).filter(Boolean);
  // A TLD alone is no name. One behind a space belongs to the name before it.
  const isApart = onlyTld.test(words[0]) || words.filter((word) => onlyTld.test(word)).length > 1;
  const rest = isApart ? words.filter((word) => !onlyTld.test(word)) : words;
  if (rest.length === 0) return [];
  const full = fullNamesIn(rest.join(' '));
  const isAmongWords = rest.length > 2 || leadIn.test(rest[0]) || isFullName(rest[0]);
  if (full.length > 1 || (full.length === 1 && rest.length > 1 && isAmongWords)) return full;
  // Only the path of a URL or a full name is cut off.
  const entry = rest.join(' ').replaceAll(slashed, '$1 ');
  return [{ entry, ...interpret(entry) }].filter(({ kind }) => kind !== 'empty');
}

const opening =
  /^(?:here(?:’s|'s| are| is)|these are|let me|please|(?:can|could) you|i (?:would|want|think|need|am|have)|(?:i|it|that|what)['’]\w+)\s/i;

/** Whether a text is a sentence or a part of one, in which only full names count. */
function isSentence(text) {
  const [head] = text.split(separator);
  const words = wordCount(head);
  if (words < 3) return false;
  const ends = /[.!?]$|[.!?]\s\p{Lu}/u.test(head);
  const parts = cellsOf(head).flatMap(alternativesIn);
  const isChoice = /\s(?:or|vs\.?)\s/i.test(head) && parts.every((part) => wordCount(part) < 3);
  if ((words > 3 && ends && !isChoice) || opening.test(text)) return true;
  return parts.some((part) => wordCount(part) > 4);
}

const wordCount = (text) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** Returns the full names among the words of a text. */
function fullNamesIn(text) {
  return text
    .split(/[\s,;|<>"“”„()[\]{}、→]+/)
    .flatMap((word) =>
      alternativesIn(word.replace(/^['’*_.]+|['’]s$|(?<!['’*_.,;:!?])['’*_.,;:!?]+$/g, '')),
    )
    .filter(isFullName)
    .map((entry) => ({ entry, ...interpret(entry) }))
    .filter(({ kind }) => kind === 'name');
}

const files =
  /\.(?:js|ts|[jt]sx|txt|csv|html?|json|pdf|png|jpe?g|gif|svg|xml|ya?ml|docx?|xlsx?|css|php|exe)$/;
const nextSentence = /\p{Ll}\.(?!(?:Com|Net|Org|Io)$)\p{Lu}\p{Ll}+$/u;

/** Whether a word is a full name, a URL or an e-mail address, and no file or end of a sentence. */
function isFullName(word) {
  const host = hostOf(word).replace(/\.$/, '');
  return (
    /^[^\s.][^\s]*[.。．｡](?:[\p{L}\p{M}]{2,}|xn--[\w-]+)$/u.test(host) &&
    !(files.test(host) && !word.includes('/')) &&
    !nextSentence.test(word)
  );
}

// Among full names, three words are no label.
const isText = ({ labels, entry }) => labels.length === 1 && wordCount(entry) > 2;

/** Combines what the items of a text contain. */
function combined(items, typed) {
  const all = items.flatMap((item) => item.names);
  const hasFull = all.some(({ labels }) => labels.length > 1);
  const readings = all.filter((each) => !(hasFull && isText(each)));
  const skipped = items.flatMap((item) => [
    ...item.skipped,
    ...item.names.filter((each) => hasFull && isText(each)),
  ]);
  const names = new Map(readings.map((each) => [toAscii(each.labels.join('.')), each]));
  const [first] = names.values();
  const isOne = items.length === 1;
  if (!first)
    return isOne && skipped.length === 1 && !items[0].isProse
      ? interpret(skipped[0].entry)
      : noName;
  const [{ isAlternatives }] = items;
  if (names.size === 1 && skipped.length === 0)
    return single(first, isOne && !items[0].isProse && typed);
  const areLabels = readings.every(({ labels }) => labels.length === 1);
  const joined = isOne && isAlternatives && areLabels && interpret(typed.replaceAll(/[/&.]/g, ' '));
  return {
    kind: 'list',
    names: Array.from(names.values(), ({ labels }) => labels),
    skipped: skipped.map(({ entry }) => entry).filter((entry) => /[\p{L}\p{N}]/u.test(entry)),
    omitted: items.filter((item) => item.names.length + item.skipped.length === 0).length,
    ...(joined?.kind === 'name' && { joined: joined.labels.join('.') }),
  };
}

/** Returns the reading of a text with one name, and its other reading: as several, or with a TLD. */
function single({ labels, alternative, entry }, typed) {
  const words = entry.split(/\s+/);
  const isSplit = typed && words.length > 2 && labels.length === 1;
  const [, front, tld] = nameAndTld.exec(entry) ?? [];
  const other = tld === undefined ? alternative : `${front}.${tld}`.toLowerCase();
  return {
    kind: 'name',
    labels,
    ...(other && { alternative: other }),
    ...(isSplit && { words: words.join(', ') }),
  };
}

/** Returns the names of a reading; none for a text without a name. */
export function namesOf({ kind, labels, names }) {
  const all = kind === 'list' ? names : [labels];
  return ['list', 'name'].includes(kind) ? all.map((each) => each.join('.')) : [];
}

/** Says in one line what was read, and how else the text may be read. */
export function summaryOf(reading, verb = 'Read') {
  const { skipped = [], omitted = 0, alternative, joined, words } = reading;
  const names = namesOf(reading);
  const lines = omitted === 1 ? '1 line' : `${omitted} lines`;
  const others = [alternative, joined, words && `${words.split(', ').length} names: ${words}`];
  return [
    names.length === 1
      ? `${verb} as ${names[0]}.`
      : `${verb} ${names.length.toLocaleString('en')} names.`,
    ...(skipped.length > 0 ? [`Not names: ${enumerate(skipped)}.`] : []),
    ...(omitted > 0 ? [`Left out: ${lines} without a name.`] : []),
    ...(others.some(Boolean) ? [`Or as ${others.filter(Boolean).join('; or ')}.`] : []),
  ].join(' ');
}

function enumerate(texts) {
  const shown = texts
    .slice(0, 3)
    .map((text) => (text.length > 30 ? `${text.slice(0, 30)}…` : text));
  const others = texts.length - shown.length;
  return shown.join(', ') + (others > 0 ? ` and ${others} more` : '');
}
