// Reads typed and pasted text: the names in lists, tables, e-mail texts and prose, as people and chat
// assistants write them. The search page loads this file as it is.
import { filesIn, isCode, isFile, isPath, linesOfCode, mayBeFile } from './not-names.js';
import { bareTlds, plainOf } from './plain-text.js';
import { levelOf, lineOf, withComments, withMarkers } from './text-lines.js';
import {
  alternativesIn,
  areTitled,
  areTlds,
  cellsOf,
  codeNamesIn,
  fullNamesIn,
  isFullName,
  isTld,
  namesIn,
  partsOf,
  withTlds,
} from './text-names.js';
import { listTitle, nameTitle, tableIn } from './text-table.js';
import { interpret, invalid, toAscii } from './typed-text.js';

/**
 * Reads a text like `interpret`. One with several names is
 * `{ kind: 'list', names: string[][], skipped: string[], omitted: number, joined?: string }`:
 * `names` are the labels of each name, `skipped` what stands in the place of a name but is none,
 * `omitted` counts the lines without a name, and `joined` is another reading, as one name. Lists and
 * names may also have `words`, their reading as other names, `unlikely`, what is rather a file or an
 * ID and therefore left out, and a `note` on what was read.
 */
export function readText(given) {
  const text = given.replaceAll(endOfWord, '$1');
  const typed = text.trim();
  const whole = typed.length < 100 && interpret(typed);
  if (whole?.kind === 'object' && fullNamesIn(typed).length === 0) return whole;
  // Alone, words such as `maybe` and `pros` are names, too.
  const isWord = /^\p{L}[\p{L}\p{N}-]*$/u.test(typed) && !isCode(typed) && !isFile(typed);
  if (whole?.kind === 'name' && isWord) return whole;

  const gaps = new Set();
  let lines = [];
  for (const line of plainOf(stringsIn(text.replaceAll(/^\s*`{3}\w*\n|\n`{3}\s*$/g, ''))).split(
    '\n',
  ))
    if (areTlds(line.replace(/^[\s*•-]+/, '')) && lines.length > 0)
      lines.push(`${lines.pop()}, ${line.replace(/^[\s*•-]+/, '')}`);
    else if (/[^\s\p{P}]/u.test(line)) lines.push(line);
    else gaps.add(lines.length);
  if (lines.length === 1 && inlineList.test(lines[0]))
    lines = lines[0].split(/\s(?=\(?\d{1,2}[.)]\s|[•▪●]\s)/);
  if (lines.length === 0)
    return /[\p{L}\p{N}]/u.test(typed) ? noName : interpret(typed === '-' ? '' : typed);
  const readings = itemsIn(lines, gaps).map((item, at) => ({
    ...item,
    ...readItem(item, at === 0),
  }));
  return combined(readings, typed);
}

/**
 * What follows the start of a word in which regular expressions would run out of stack, at millions of
 * characters. Shorter ones may be lists without spaces, such as `fox.com、hare.com`.
 */
const endOfWord = /(?<![^\s,;|"<>])([^\s,;|"<>]{500000})[^\s,;|"<>]+/g;

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
function itemsIn(lines, gaps) {
  const areCode = linesOfCode(lines);
  const table = !areCode.includes(true) && tableIn(lines, { isFullName, isTld });
  if (table) return table.map((item) => ({ ...lineOf(item.text), isProse: item.isProse }));
  const parsed = withComments(withMarkers(lines).map(lineOf), gaps);
  const level = levelOf(parsed.filter((line, at) => !line.isComment && !areCode[at]));
  const isMail = parsed.filter(({ text }) => mailHeader.test(text)).length > 1;
  const isLetter = parsed.some(({ text }) => isGreeting.test(text));
  const hasProse = parsed.some(
    (line) => isSentence(line.text) && (isLetter || fullNamesIn(line.text).length > 0),
  );
  let isInCategory = false;
  return parsed.map((line, at) => {
    if (areCode[at]) return { ...line, text: lines[at], isProse: true, isCode: true };
    const isHead =
      at === 0 &&
      parsed.length > 1 &&
      [nameTitle, listTitle].some((each) => each.test(line.text.replace(/[!?.]{1,3}$/, '')));
    if (line.isTitle) isInCategory = line.kind === level?.kind;
    const isItem = level
      ? line.kind === level.kind && (line.indent <= level.indent || isInCategory)
      : !(hasProse || isMail) || line.kind !== undefined;
    const isProse = !isItem || isHead || line.isTitle || line.isComment || isSentence(line.text);
    return { ...line, isProse };
  });
}

const mailHeader = /^(?:subject|sent|date|received|message-id|reply-to): /i;
const isGreeting =
  /^(?:hi|hello|hey|dear|thanks|thank you|cheers|(?:best|kind|warm) regards|best|regards|(?:i )?hope (?:this|these|that|it|you)|good luck)\b[^.]{0,30}[,!]?$/i;

const separator = /\s[-–—―−]+>?|(?<![-–—―−])[-–—―−]+\s|[-=]>|[→⇒➜➔⟶—]|\.{3}|:\s|\s(?:\/\/|#|=)/u;

/** Returns the names in an item, what is in the place of a name but is none, and what is no name. */
function readItem({ text, isProse, isCode: isInCode }, isFirst) {
  if (isInCode) return { names: codeNamesIn(text), skipped: [] };
  if (isProse) return { names: fullNamesIn(text), skipped: [] };
  const comments = [];
  const unlikely = [];
  const likely = text.replaceAll(/[^\s,;|<>"'“”()[\]{}]+/g, (word) => {
    if (!isCode(word) && !isFile(word) && !isPath(word)) return word;
    unlikely.push(word);
    return '';
  });
  const bare = likely.replaceAll(/(?<!\/\/)[([{]([^)\]}]*)[)\]}]?/g, (_match, comment) => {
    if (areTlds(comment)) return ` ${comment}`;
    comments.push(comment);
    return ' ';
  });
  const cells = cellsOf(bare);
  const areCommented = cells.length > 1 && cells.every((cell) => separator.test(cell));
  const heads = (areCommented ? cells : [bare]).map((each) => {
    const [match] = separator.exec(each) ?? [];
    if (match === undefined) return each;
    const at = each.indexOf(match);
    const comment = each.slice(at + match.length);
    if (areTlds(comment)) return withTlds(each.slice(0, at), comment);
    if (!/\/\/|#/.test(match)) comments.push(comment);
    if (!match.startsWith(':')) return each.slice(0, at);
    return areTitled(each.slice(0, at), cellsOf(comment)) ? comment : each.slice(0, at);
  });
  const parts = heads.flatMap((head, at) => partsOf(head, isFirst && at === 0)).flatMap(namesIn);
  return {
    names: [...parts.filter(({ kind }) => kind === 'name'), ...comments.flatMap(fullNamesIn)],
    skipped: parts.filter(({ kind }) => kind === 'invalid' || kind === 'object'),
    unlikely,
    isAlternatives: parts.length > heads.flatMap(cellsOf).length,
  };
}

const opening =
  /^(?:here(?:’s|'s| are| is)|these are|let me|please|(?:can|could) you|i (?:would|want|think|need|am|have)|(?:i|it|that|what)['’]\w+)\s/i;

/** Whether a text is a sentence or a part of one, in which only full names count. */
function isSentence(text) {
  const [head] = text.split(separator);
  const words = wordCount(head);
  if (words < 3) return false;
  const ends = /[.!?]$|[.!?]\s\p{Lu}/u.test(head);
  const parts = cellsOf(head).flatMap((cell) => alternativesIn(cell));
  const isChoice = /\s(?:or|vs\.?)\s/i.test(head) && parts.every((part) => wordCount(part) < 3);
  if ((words > 3 && ends && !isChoice) || opening.test(text)) return true;
  return parts.some((part) => wordCount(part) > 4);
}

const wordCount = (text) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

// Among full names, three words are no label.
const isText = ({ labels, entry }) => labels.length === 1 && wordCount(entry) > 2;

/** Combines what the items of a text contain. */
function combined(items, typed) {
  const files = new Set(filesIn(items, typed));
  const unlikely = items
    .flatMap((item) => item.unlikely ?? [])
    .concat(Array.from(files, ({ entry }) => entry));
  const all = items.flatMap((item) => item.names).filter((each) => !files.has(each));
  const hasFull = all.some(({ labels }) => labels.length > 1);
  const readings = all.filter((each) => !(hasFull && isText(each)));
  const skipped = items.flatMap((item) => [
    ...item.skipped,
    ...item.names.filter((each) => hasFull && isText(each)),
  ]);
  const names = new Map(readings.map((each) => [toAscii(each.labels.join('.')), each]));
  const [first] = names.values();
  const [{ isProse, isAlternatives }] = items;
  const isOne = items.length === 1;
  const others = unlikely.flatMap(nameLike);
  if (!first && unlikely.length > 0)
    return { ...invalid(unlikelyMessage(unlikely), others.join(', ')), unlikely };
  if (!first)
    return isOne && skipped.length === 1 && !isProse ? interpret(skipped[0].entry) : noName;
  const full = Array.from(names.values(), ({ labels }) => labels.join('.'));
  const tlds = isOne ? tldsAmong(readings) : [];
  const instead = [...full.slice(0, tlds.length > 0 ? 1 : undefined), ...tlds, ...others];
  const maybe = readings.filter(({ entry }) => mayBeFile(entry)).map(({ entry }) => entry);
  const more = {
    ...(unlikely.length > 0 && { unlikely }),
    ...(instead.length > 1 &&
      tlds.length + others.length > 0 && { words: instead.slice(0, maxOthers).join(', ') }),
    ...(maybe.length > 0 && { note: `${enumerate(maybe)} may also be a file.` }),
  };
  if (names.size === 1 && skipped.length === 0)
    return { ...single(first, isOne && !isProse && typed), ...more };
  const areLabels = readings.every(({ labels }) => labels.length === 1);
  const joined =
    isOne && isAlternatives && areLabels && interpret(typed.replaceAll(/[/&+.]/g, ' '));
  return {
    kind: 'list',
    names: Array.from(names.values(), ({ labels }) => labels),
    skipped: skipped.map(({ entry }) => entry).filter((entry) => /[\p{L}\p{N}]/u.test(entry)),
    omitted: items.filter((item) => item.names.length + item.skipped.length === 0).length,
    ...(joined?.kind === 'name' && { joined: joined.labels.join('.') }),
    ...more,
  };
}

/** Returns the labels after a single full name, such as `fox.com, tech`, as its TLDs. */
function tldsAmong([first, ...rest]) {
  const areWords = rest.every(({ labels }) => labels.length === 1 && /^[a-z]+$/.test(labels[0]));
  return first?.labels.length > 1 && areWords ? rest.map(({ labels }) => `.${labels[0]}`) : [];
}

const maxOthers = 20;

/** Returns the name that a file or an ID would be: in lower case, and below a TLD. */
function nameLike(word) {
  const { kind, labels } = interpret(word);
  if (kind !== 'name' || isFile(word) || isPath(word)) return [];
  return [labels.length > 1 ? labels.join('.') : `${labels[0]}.com`];
}

function unlikelyMessage(words) {
  const what = words.every(isCode) ? 'a hash sum or an ID' : 'a file';
  return `${enumerate(words)}: more likely ${what} than a domain name.`;
}

/** Returns the reading of a text with one name, and its other reading: as several, or with a TLD. */
function single({ labels, alternative, entry, other }, typed) {
  const words = entry.split(/\s+/);
  const isSplit = typed && words.length > 2 && labels.length === 1;
  const [, front, tld] = nameAndTld.exec(entry) ?? [];
  const dotted = tld === undefined ? alternative : `${front}.${tld}`.toLowerCase();
  const [, below, tlds] = tldsInPath.exec(entry) ?? [];
  const inPath =
    tlds &&
    [
      below,
      ...tlds
        .slice(1)
        .split('/')
        .map((each) => `.${each}`),
    ].join(', ');
  const asWords = inPath ?? (isSplit ? words.join(', ') : typed && other);
  return {
    kind: 'name',
    labels,
    ...(dotted && { alternative: dotted }),
    ...(asWords && { words: asWords }),
  };
}

const nameAndTld = new RegExp(`^(\\S+) (${bareTlds})$`, 'i');
const tldsInPath = new RegExp(`^([^/]+)((?:/(?:${bareTlds}))+)/?$`, 'i');

/** Returns the names of a reading; none for a text without a name. */
export function namesOf({ kind, labels, names }) {
  const all = kind === 'list' ? names : [labels];
  return ['list', 'name'].includes(kind) ? all.map((each) => each.join('.')) : [];
}

/** Says in one line what was read, and how else the text may be read. */
export function summaryOf(reading, verb = 'Read') {
  const { skipped = [], unlikely = [], omitted = 0, alternative, joined, words, note } = reading;
  const names = namesOf(reading);
  const lines = omitted === 1 ? '1 line' : `${omitted} lines`;
  const count = words?.split(', ').length;
  const others = [alternative, joined, count > 1 ? `${count} names: ${words}` : words];
  return [
    names.length === 1
      ? `${verb} as ${names[0]}.`
      : `${verb} ${names.length.toLocaleString('en')} names.`,
    ...(skipped.length > 0 ? [`Not names: ${enumerate(skipped)}.`] : []),
    ...leftOut(unlikely),
    ...(note ? [note] : []),
    ...(omitted > 0 ? [`Left out: ${lines} without a name.`] : []),
    ...(others.some(Boolean) ? [`Or as ${others.filter(Boolean).join('; or ')}.`] : []),
  ].join(' ');
}

/** Says what is left out because it is rather a file or an ID than a name. */
export function leftOut(unlikely = []) {
  return unlikely.length > 0 ? [`Left out as files or IDs: ${enumerate(unlikely)}.`] : [];
}

function enumerate(texts) {
  const shown = texts
    .slice(0, 3)
    .map((text) => (text.length > 30 ? `${text.slice(0, 30)}…` : text));
  const others = texts.length - shown.length;
  return shown.join(', ') + (others > 0 ? ` and ${others} more` : '');
}
