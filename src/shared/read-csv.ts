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
