// Finds the names among the words of a line. The search page loads this file as it is.
import { isCode, isFile, isPath, programs } from './not-names.js';
import { bareTlds } from './plain-text.js';
import { hostOf, interpret } from './typed-text.js';

const bareTld = new RegExp(`^(?:${bareTlds})$`, 'i');
const usualTld = /^(?:com|net|org|io)$/i;
const secondLevel = '(?:(?:ac|co|com|edu|gov|net|org)\\.)?';
const onlyTld = new RegExp(`^\\.${secondLevel}[\\p{L}\\p{M}]{2,}$`, 'iu');
const tldOf = new RegExp(`(?<=[^.])\\.${secondLevel}[^.\\s]+$`, 'i');

/** Whether a text is a TLD with a dot in front, or one that needs none. */
export const isTld = (text) => bareTld.test(text) || onlyTld.test(text);

/** Whether a text has TLDs only, such as `.com, .io`. */
export const areTlds = (text) =>
  /^\s*\./.test(text) &&
  text.split(/[\s,;/|&+]+|\b(?:or|and)\b/).every((word) => word === '' || onlyTld.test(word));

/** Splits a line at commas and similar characters, but not within the path of a URL. */
export function cellsOf(line) {
  const cells = line.split(line.includes('//') ? /[\t,;|、](?=\s|\w+:\/\/|$)/ : /[\t,;|、]/);
  return cells.map((cell) => cell.trim()).filter(Boolean);
}

// A single letter needs words on both sides, as in `y combinator`.
const between = '(?:or|and|&|\\+|vs\\.?|versus|/|oder|und|ou|et|или|或|أو)(?= |$)';
const letters = ' (?:o|y|и|和|و)(?= )';
const connector = new RegExp(`(?:^| )${between}|${letters}`, 'i');
const innerConnector = new RegExp(`(?:^(?!\\p{L})| )${between}|${letters}`, 'iu');
const legalForm = /^(?:inc|llc|ltd|gmbh|corp)\.?$/i;

/** Splits a part at `or`, `and`, `&`, `vs.` and `/`; the first of a text may begin with such a word. */
export function alternativesIn(part, isFirst = false) {
  const words = part
    .replaceAll(/\s+/g, ' ')
    .split(isFirst ? innerConnector : connector)
    .map((each) => each.trim())
    .filter(Boolean);
  return words.flatMap((word) => {
    const pieces = word.split(/[/&+]/);
    const [first, ...rest] = pieces;
    const isList =
      !/[:?@\\]|\/\/|\s/.test(word) &&
      pieces.every(Boolean) &&
      (pieces.every(isFullName) || !isFullName(first) || rest.every((each) => onlyTld.test(each)));

    return isList ? pieces : [word];
  });
}

/** Returns the parts of a line that are names, each with the TLDs that follow it. */
export function partsOf(line, isFirst) {
  const parts = cellsOf(line)
    .flatMap((cell, at) => alternativesIn(cell, isFirst && at === 0))
    .filter((part, at) => at === 0 || !legalForm.test(part));
  const [first = '', ...rest] = parts;
  const isUsual =
    rest.length === 1 || isFullName(first) || rest.some((part) => usualTld.test(part));
  const haveTlds = isUsual && rest.every(isTld);
  let base;
  const found = [];
  for (const part of haveTlds ? [first, ...rest.map((tld) => tld.replace(/^\.?/, '.'))] : parts) {
    const words = part.split(' ');
    const count = words.length - 1 - words.findLastIndex((word) => !onlyTld.test(word));
    const front = words.slice(0, words.length - count).join(' ');

    // A label whose TLDs follow is no name of its own.
    if (count > 0 && front === '' && found.at(-1) === base) found.pop();
    if (front !== '' && (count === 0 || isFullName(front))) found.push(front);
    if (front !== '') base = baseOf(front);
    if (base !== undefined)
      found.push(...words.slice(words.length - count).map((tld) => base + tld));
  }

  return found;
}

/** Returns the labels in a text with the TLDs that stand behind all of them: `fox, hare: .com`. */
export function withTlds(labels, tlds) {
  return cellsOf(labels)
    .flatMap((cell) => alternativesIn(cell))
    .map((label) => (isFullName(label) ? label : `${label} ${tlds}`))
    .join(', ');
}

/** Returns the text before the TLD of a name. */
function baseOf(text) {
  const host = text.includes(' ')
    ? text.replace(/ (?:in|with|under|on|as|at|for)$/, '')
    : hostOf(text);
  return host.replace(/^www\./, '').replace(tldOf, '');
}

const leadIn = new RegExp(
  `^(?:see|visit|check|buy|want|like|about|also|and|or|at|on|via|from|is|get|try|open|find|search|register|domain|website|site|host|server\\w*|${programs}|bash|sh|cat|vim|nano|less|[a-z]\\w{0,40}_\\w{0,40})$`,
  'i',
);
const filler = /^(?:either|maybe|perhaps|etc\.?|e\.g\.|i\.e\.)(?=\s|$)/i;
const slashed = /(?<=^|\s)([^\s./:@]+)\/(?=[^\s/])/g;

/**
 * Returns the readings of a part: its full names if it has words beside them, else one name, with the
 * full name in it as `other`.
 */
export function namesIn(part) {
  const words = part.replace(filler, '').split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];

  const full = fullNamesIn(words.join(' '));
  const isAmongWords =
    words.length > 2 ||
    leadIn.test(words[0]) ||
    isFullName(words[0]) ||
    /^[\d.]*\.\d+$|:.*:/.test(words[0]) ||
    /:\/\/|@/.test(full[0]?.entry);
  if (full.length > 1 || (full.length === 1 && words.length > 1 && isAmongWords))
    return full.map((each) => ({ ...each, isAmongWords }));

  // Only the path of a URL or a full name is cut off.
  const entry = words.join(' ').replaceAll(slashed, '$1 ');
  const isLed = words.length > 1 && leadIn.test(words[0]);
  const other = full[0]?.entry ?? (isLed ? words.slice(1).join(' ') : undefined);

  return [{ entry, other: words.length > 1 && other, ...interpret(entry) }].filter(
    ({ kind }) => kind !== 'empty',
  );
}

/** Returns the full names among the words of a text, also those of which only the TLD is repeated. */
export function fullNamesIn(text) {
  const words = text
    .split(/[\s,;|<>"“”„()[\]{}、→]+/)
    .map((word) => word.replace(/^['’*_]+|['’]s$|(?<!['’*_.,;:!?])['’*_.,;:!?]+$/g, ''))
    .filter((word) => word !== '' && !isPath(word) && !isCode(word))
    .flatMap((word) => alternativesIn(onlyTld.test(word) ? word : word.replace(/^[.'’*_]+/, '')));
  let base;
  const found = [];
  for (const word of words) {
    const entry = base !== undefined && onlyTld.test(word) ? base + word : word;
    const isFull = isFullName(entry);
    if (isFull) found.push({ entry, ...interpret(entry) });
    base = isFull ? baseOf(entry) : undefined;
  }

  return found.filter(({ kind }) => kind === 'name');
}

/** Whether a text before a colon is the title of names: `Site: fox.com`, `Short & bold: RedFox, Hare`. */
export function areTitled(title, cells) {
  if (isFullName(title.trim())) return false;
  if (cells.every((cell) => isFullName(cell.replace(/^[*.]+/, '')))) return true;
  const isCategory =
    /\s(?:&|and)\s/i.test(title) || cells.some((cell) => /\p{Ll}\p{Lu}/u.test(cell));
  return cells.length > 1 && isCategory && cells.every((cell) => /^\p{Lu}\S*$/u.test(cell));
}

/** Returns the URLs, e-mail addresses and quoted names in a line of code, and those of usual TLDs. */
export function codeNamesIn(line) {
  const isImport = /^\s*(?:import|from|use|using|package|#include)\b|\brequire\b/.test(line);
  return fullNamesIn(line).filter(({ entry }) => {
    const at = line.indexOf(entry);
    const isString = /["'`]/.test(line[at - 1]) && line[at - 1] === line[at + entry.length];
    const isUsual = /\.(?:com|net|org)$/.test(entry) && line[at + entry.length] !== '(';
    const isText = isUsual || (isString && line[at - 2] !== '(');
    return /:\/\/|@/.test(entry) || (isText && !isImport);
  });
}

const nextSentence = /\p{Ll}\.(?!(?:Com|Net|Org|Io)$)\p{Lu}\p{Ll}+$/u;

/** Whether a word is a full name, a URL or an e-mail address, and no file or end of a sentence. */
export function isFullName(word) {
  const host = hostOf(word).replace(/\.$/, '');
  return (
    /^[^\s.][^\s]*[.。．｡](?:[\p{L}\p{M}]{2,}|xn--[\w-]+)$/u.test(host) &&
    !isFile(word) &&
    !nextSentence.test(word)
  );
}
