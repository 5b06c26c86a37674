// Counts how often `GET /v1/status` for one name passes from one file of `src` to another, in the
// order in which functions are entered: `node test/support/requests/file-changes.ts`. It prints the files that
// hand over to each other most often, or everything as JSON with `--json`.
//
// A loader hook adds a call to each function, method, getter and constructor that is written in a
// file. Implicit constructors and field initializers do not count, nor does the return to a caller
// or the continuation after an `await`.
import { registerHooks } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseAst } from 'vitest/node';
import { projectFolder } from '../package/run.ts';

/** What one request entered. */
export interface FileChanges {
  /** How often the file of a function is not that of the function entered before. */
  readonly changes: number;
  readonly calls: number;
  readonly files: number;
  /** Pairs of files, in either direction, with the most frequent ones first. */
  readonly pairs: readonly (readonly [pair: string, changes: number])[];
}

const runs = 7;
const src = `${pathToFileURL(projectFolder).href}/src/`;
const paths: string[] = [];
let entered: number[] = [];
Object.assign(globalThis, { enterFile: (file: number) => void entered.push(file) });

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.startsWith(src) || !url.endsWith('.ts')) return loaded;
    const file = paths.push(relative(`${projectFolder}/src`, fileURLToPath(url))) - 1;
    return {
      ...loaded,
      source: withEntries(String(loaded.source), `globalThis.enterFile(${file})`),
    };
  },
});

const { startFakeRegistry } = await import('../servers/fake-registry.ts');
const { startGateway } = await import('../gateways/gateway.ts');
await using registry = await startFakeRegistry();
await using gateway = await startGateway({
  registries: { com: registry.baseUrl },
  delegates: ['registered'],
});
const pathOf = (label: string) => `/v1/status?name=${label}&tlds=com`;
// Whatever runs only once comes first: canaries, controls of zones, compiled operations.
for (const label of ['first', 'first', 'second', 'second']) await gateway.get(pathOf(label));

const cold: FileChanges[] = [];
const cached: FileChanges[] = [];
for (let run = 0; run < runs; run += 1) {
  const path = pathOf(`name-${run}`);
  cold.push(await enteredBy(path));
  cached.push(await enteredBy(path));
}
const fewest = { cold: fewestOf(cold), cached: fewestOf(cached) };
if (process.argv.includes('--json')) console.log(JSON.stringify(fewest));
else for (const [name, counts] of Object.entries(fewest)) printTable(name, counts);

async function enteredBy(path: string): Promise<FileChanges> {
  entered = [];
  await gateway.get(path);
  const order = entered;

  const pairs = new Map<string, number>();
  let changes = 0;
  for (const [index, file] of order.entries()) {
    const previous = order[index - 1];
    if (previous === undefined || previous === file) continue;
    changes += 1;
    const pair = [paths[previous], paths[file]].toSorted().join(' ↔ ');
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return {
    changes,
    calls: order.length,
    files: new Set(order).size,
    pairs: [...pairs].toSorted(([, a], [, b]) => b - a),
  };
}

/** Background work that happens to run at the same time counts, too, so the smallest count holds. */
function fewestOf(counts: readonly FileChanges[]): FileChanges {
  return counts.reduce((least, next) => (next.changes < least.changes ? next : least));
}

function printTable(name: string, { changes, calls, files, pairs }: FileChanges): void {
  console.log(`${name}: ${changes} changes of file, ${calls} calls, ${files} files`);
  for (const [pair, count] of pairs.slice(0, 40))
    console.log(`${String(count).padStart(6)} ${pair}`);
}

/** Returns the text of a module with a call at the beginning of each function. */
function withEntries(text: string, call: string): string {
  const insertions: (readonly [position: number, text: string])[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('type' in node && 'body' in node && isRange(node.body)) {
      const { type, start, end } = node.body;
      if (type === 'BlockStatement' && /Function/.test(String(node.type)))
        insertions.push([start + 1, `${call};`]);
      else if (node.type === 'ArrowFunctionExpression')
        insertions.push([start, `(${call},(`], [end, '))']);
    }
    Object.values(node).forEach(visit);
  };
  visit(parseAst(text, { lang: 'ts' }));

  // From the end, so that the positions stay valid.
  insertions.sort(([a], [b]) => b - a);
  return insertions.reduce(
    (result, [position, added]) => result.slice(0, position) + added + result.slice(position),
    text,
  );
}

function isRange(node: unknown): node is { type: string; start: number; end: number } {
  return typeof node === 'object' && node !== null && 'start' in node && 'type' in node;
}
