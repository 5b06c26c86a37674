// Finds the column with names in a pasted table. The search page loads this file as it is.

/** By which the cells of a row are separated. Every line has those that text also contains. */
const separators = [
  { pattern: /\t/ },
  { pattern: /[|│┃║]/ },
  { pattern: /;/, isInText: true },
  { pattern: /,/, isInText: true },
  { pattern: /\s{2,}/, isInText: true },
];

const framed = /^\s*[|│┃║]/;
const divider = /^[\s|:+=\-\u2500-\u257f]+$/;
const title =
  /^(?:#|rank|nr\.?|no\.?|index|input|(?:domain|brand|host|business|company)? ?names?|nom|nome|domains?|domaine|urls?|tlds?|websites?|hosts?|labels?|brands?|ideas?|price|notes?|status|registrar|reason|why|meaning|description|comments?)$/i;
/** The title of a column with names. */
export const nameTitle =
  /^(?:domains?|domaine|(?:domain|brand|host|business|company)? ?names?|nom|nome|urls?|websites?|hosts?|labels?|brands?|ideas?)$/i;
/** The title of a list with names. */
export const listTitle =
  /^(?:my |our |the )?(?:(?:top|best)(?: \d+)? )?(?:short ?list|list|favorites?|favourites?|candidates?|options?|picks?|suggestions?|(?:domain |name |brand )?(?:ideas?|names?)|brainstorm(?:ing)?|results?|untitled|notes?|to ?do)$/i;
const value =
  /^(?:[\d\s.,:%+/#-]*|yes|no|true|false|[ynx✓✔✗✘✅❌]|available|taken|free|registered|unknown|n\/a|maybe|ok)[?!]?$/iu;

/**
 * Returns the cells of a table that may be names, and the lines around it as prose; undefined if the
 * lines are no table. A column of full names wins, then the column with a title, then the first.
 */
export function tableIn(lines, { isFullName, isTld }) {
  for (const { pattern, isInText } of separators) {
    const count = lines.filter((line) => pattern.test(line)).length;
    if (count < 2 || (isInText && count < lines.length)) continue;

    const rows = lines.map((line) => cellsOf(line, pattern));
    const isRow = lines.map(
      (line, at) => (rows[at].length > 1 || framed.test(line)) && !divider.test(line),
    );
    const body = rows.filter((_cells, at) => isRow[at]);
    if (body.length < 2 || (isInText && body.length < lines.length)) continue;

    const [head, ...rest] = body;
    const columns = columnsOf(head, rest);
    const isData = columns.map(
      (cells) => cells.length > 0 && cells.every((cell) => value.test(cell)),
    );
    const full = columns.map((cells) => isFull(cells, rest.length, isFullName));
    const hasDivider = divider.test(lines[isRow.indexOf(true) + 1]);
    const hasHead =
      hasDivider ||
      head.some((cell) => title.test(cell)) ||
      head.some((cell, at) => isData[at] && !value.test(cell));
    const isTable = hasHead || isData.includes(true) || full.includes(true);
    if (isInText && !isTable) continue;

    const chosen = chosenColumns({ head, hasHead, isData, full });
    const listed = hasHead ? rest : body;
    const areTlds = columnsOf(head, listed).map(
      (cells) => cells.some(Boolean) && cells.every((cell) => cell === '' || isTld(cell)),
    );
    const items = listed.flatMap((cells) => {
      const tlds = cells.filter((cell, at) => cell !== '' && areTlds[at]);
      return chosen.map((column) => ({
        text: [cells[column] ?? '', ...tlds].join(', '),
        isProse: false,
      }));
    });
    const around = lines.filter((line, at) => !isRow[at] && !divider.test(line));

    return [...items, ...around.map((text) => ({ text, isProse: true }))];
  }
  return undefined;
}

function cellsOf(line, pattern) {
  // A price behind the last tab is left out before.
  const cells = line.trimStart().replace(/ +$/, '').split(pattern);
  return (framed.test(line) ? cells.slice(1, -1) : cells).map((cell) =>
    cell.replaceAll(/^["'*`\s]+|(?<!["'*`\s])["'*`\s]+$/g, ''),
  );
}

/** Returns the cells of each column, without those that shorter rows lack. */
function columnsOf(head, rows) {
  const columns = head.map(() => []);
  for (const cells of rows) for (const [at, cell] of cells.entries()) columns[at]?.push(cell);
  return columns;
}

/** Whether the cells of a column are full names in most of the rows, and none is another text. */
function isFull(cells, rows, isFullName) {
  const filled = cells.filter(Boolean);
  const count = filled.filter(isFullName).length;
  return count > 0 && count === filled.length && count > rows / 2;
}

function chosenColumns({ head, hasHead, isData, full }) {
  const all = head.map((_cell, at) => at);
  const named = hasHead ? all.filter((at) => nameTitle.test(head[at])) : [];
  const fullOnes = all.filter((at) => full[at]);
  const best = fullOnes.find((at) => named.includes(at));
  if (best !== undefined) return [best];
  if (fullOnes.length > 0) return hasHead ? fullOnes.slice(0, 1) : fullOnes;

  const texts = all.filter((at) => !isData[at]);
  return [named.find((at) => !isData[at]) ?? texts[0] ?? 0];
}
