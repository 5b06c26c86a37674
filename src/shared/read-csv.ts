/** A record of CSV. It spans several lines if a cell contains line breaks. */
export interface CsvRecord {
  readonly cells: readonly string[];
  /** The number of its last line, starting at 1. */
  readonly line: number;
}

/** A cell, in quotation marks or not, and what ends it. */
const cell = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r\n?|\n)/gy;

/**
 * Returns the records of a text as CSV (RFC 4180) with any line breaks. Records whose cells are all
 * blank are skipped. Throws an Error that names the line of a misplaced quotation mark.
 */
export function readCsv(text: string): readonly CsvRecord[] {
  const records: CsvRecord[] = [];
  let cells: string[] = [];
  let line = 1;
  let end = 0;
  const terminated = /[\r\n]$/.test(text) ? text : `${text}\n`;

  for (const [whole, inQuotes, plain = '', separator] of terminated.matchAll(cell)) {
    end += whole.length;
    cells.push(inQuotes?.replaceAll('""', '"') ?? plain);
    line += whole.match(/\r\n?|\n/g)?.length ?? 0;
    if (separator === ',') continue;

    if (cells.some((each) => each.trim() !== '')) records.push({ cells, line: line - 1 });
    cells = [];
  }

  if (end < terminated.length)
    throw new Error(`line ${line}: quotation marks must be around a whole cell, and doubled in it`);

  return records;
}

/** What a row of a table is called in messages, and its fields before they are checked. */
export type TableRow = readonly [place: string, values: Readonly<Record<string, unknown>>];

/**
 * Returns the rows of a file of the operator: a JSON list of objects with these fields, or CSV with
 * these columns in any order. Optional fields may be absent. Throws an Error that names the row.
 */
export function readRows(
  text: string,
  required: readonly string[],
  optional: readonly string[] = [],
): readonly TableRow[] {
  const fields = [...required, ...optional];
  return /^\s*[[{]/.test(text) ? jsonRows(text, fields) : csvRows(text, required, fields);
}

function jsonRows(text: string, fields: readonly string[]): readonly TableRow[] {
  const document: unknown = JSON.parse(text);
  if (!Array.isArray(document))
    throw new Error(`it must be a list of objects with ${fields.join(', ')}`);

  return document.map((row: unknown, index) => [`row ${index + 1}`, Object(row)]);
}

function csvRows(
  text: string,
  required: readonly string[],
  fields: readonly string[],
): readonly TableRow[] {
  const [header, ...records] = readCsv(text);
  const columns = header?.cells.map((name) => name.trim().toLowerCase()) ?? [];
  const isComplete = required.every((name) => columns.includes(name));
  const isKnown = columns.every((name) => fields.includes(name));
  if (!isComplete || !isKnown || new Set(columns).size < columns.length)
    throw new Error(`the first line must name the columns ${fields.join(', ')}`);

  return records.map(({ cells, line }, index) => {
    const place = `row ${index + 1} (line ${line})`;
    if (cells.length !== columns.length)
      throw new Error(`${place} must have ${columns.length} cells, got ${cells.length}`);
    return [place, Object.fromEntries(columns.map((name, at) => [name, cells[at]]))];
  });
}
