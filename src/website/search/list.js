// Lists of names: lines of a file, a pasted table, or names with spaces or commas between them. Has
// no access to the page.
import { interpret, toAscii } from './input.js';

export const maxNames = 1000;

/**
 * Interprets a text like `interpret`; one with several names is
 * `{ kind: 'list', names: string[][], skipped: string[] }`. `names` are the labels of each name.
 */
export function interpretList(text) {
  const lines = text.split(/[\r\n]+/).map(cellsOf);
  const entries = splitList(text);
  if (entries.length < 2) return interpret(entries[0] ?? text);
  const isTable = lines.filter((cells) => cells.length > 1).length > 1;
  const readings = entries.map((entry) => ({ entry, ...interpret(entry) }));
  // A table has columns of other things, such as prices and registrars.
  const onlyFull = isTable && readings.some(isFull);
  const isName = onlyFull ? isFull : ({ kind }) => kind === 'name';
  const names = new Map(
    readings.filter(isName).map((reading) => [toAscii(reading.labels.join('.')), reading]),
  );
  if (names.size === 0) return interpret(text);
  const skipped = onlyFull ? [] : readings.filter((reading) => !isName(reading));
  const [first] = names.values();
  if (names.size === 1) return first;
  return {
    kind: 'list',
    names: Array.from(names.values(), ({ labels }) => labels),
    skipped: skipped.map(({ entry }) => entry),
  };
}

/** Returns the texts of a list that may be names. */
export function splitList(text) {
  const cells = text.split(/[\r\n]+/).flatMap(cellsOf);
  return cells.flatMap(namesIn).filter(isNoTitle);
}

/** Splits a line at tabs, commas and similar characters, but not within the path of a URL. */
function cellsOf(line) {
  const separator = line.includes('/') ? /\t|[,;|](?=\s|\w+:\/\/|$)/ : /[\t,;|]/;
  return line
    .split(separator)
    .map((cell) => cell.trim())
    .filter(Boolean);
}

/** Splits a cell at its spaces if they separate full names; otherwise they are within a name. */
function namesIn(cell) {
  const words = cell.split(/\s+/);
  const full = words.filter((word) => isFull(interpret(word)));
  return full.length > 1 ? words : [cell];
}

const isFull = ({ kind, labels }) => kind === 'name' && labels.length > 1;

const isNoTitle = (entry, index) =>
  index > 0 || !/^["']?(?:domains?|(?:domain |host ?)?names?|urls?)["']?$/i.test(entry);
