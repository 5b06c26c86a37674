import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Every import statement of the house, of types too. */
const files = globSync(['src/**/*.ts', 'schema/**/*.ts'], { cwd: root }).map((path) => {
  const text = readFileSync(join(root, path), 'utf8');
  return { path, text, imports: importsOf(path, text) };
});

/** Which rooms a room may use beside itself. A new room, or a new file beside the rooms, needs a line here and a word in the README's map. */
const everyone = ['src/problems.ts', 'src/clock.ts', 'src/log.ts', 'src/once.ts', 'src/shapes.ts'];
const lookup = ['src/lookup'];
const doors = ['schema', 'schema/openapi', 'src/http'];
const parts = [
  'src/directory',
  'src/sources',
  'src/throttle',
  'src/rdap',
  'src/cache',
  'src/accounts',
  'src/storage',
  'src/sandbox',
  'src/domain',
  'src/addresses.ts',
];
const rooms: Readonly<Record<string, readonly string[]>> = {
  'src/main.ts': ['src/app.ts', 'src/app', 'src/config.ts', ...everyone],
  'src/keys.ts': ['src/accounts', 'src/storage', 'src/config.ts', ...everyone],
  'src/app.ts': [
    'src/app',
    'src/http',
    'src/storage',
    'src/addresses.ts',
    'src/metrics',
    'src/tracing',
    'src/config.ts',
    ...everyone,
  ],
  'src/app': [
    ...doors,
    ...parts,
    ...lookup,
    'src/metrics',
    'src/tracing',
    'src/config.ts',
    'src/context.ts',
    ...everyone,
  ],
  'src/metrics': everyone,
  'src/tracing': ['src/http', 'src/rdap', 'src/domain', ...everyone],
  'src/config.ts': ['src/addresses.ts', 'src/log.ts'],
  schema: ['src/context.ts', ...lookup, 'src/domain', 'src/accounts', ...everyone],
  'schema/print.ts': ['schema', 'schema/openapi'],
  // The description of the REST door is printed from what the door itself reads and runs.
  'schema/openapi': ['schema', 'src/http', 'src/deprecations.ts', 'src/domain', ...everyone],
  'src/http': [
    'src/context.ts',
    ...lookup,
    'src/domain',
    'src/accounts',
    'src/metrics',
    'src/addresses.ts',
    'src/deprecations.ts',
    ...everyone,
  ],
  'src/context.ts': [...lookup, 'src/domain', 'src/accounts', ...everyone],
  'src/lookup': ['src/domain', ...everyone],
  'src/directory': ['src/rdap', 'src/cache', 'src/domain', ...everyone],
  'src/sources': [
    'src/directory',
    'src/throttle',
    'src/rdap',
    'src/cache',
    'src/domain',
    ...everyone,
  ],
  'src/rdap': ['src/domain', ...everyone],
  'src/cache': ['src/domain', ...everyone],
  'src/accounts': ['src/lookup', 'src/domain', 'src/addresses.ts', ...everyone],
  'src/throttle': ['src/domain', ...everyone],
  'src/storage': ['src/throttle', 'src/cache', 'src/accounts', 'src/domain', ...everyone],
  'src/sandbox': everyone,
  'src/domain': ['src/problems.ts'],
  'src/addresses.ts': [],
  'src/deprecations.ts': ['src/problems.ts'],
  'src/problems.ts': [],
  'src/clock.ts': [],
  'src/log.ts': [],
  'src/once.ts': [],
  'src/shapes.ts': [],
};

/** Who may use a package. `domain` is pure, so nothing of Node stands here for it. */
const packages: Readonly<Record<string, readonly string[]>> = {
  '@pothos/core': ['schema'],
  '@pothos/plugin-relay': ['schema'],
  graphql: ['schema', 'schema/openapi', 'schema/print.ts', 'src/http'],
  'graphql-yoga': ['src/http/graphql.ts'],
  'graphql-jit': ['src/http/compiled-query.ts'],
  negotiator: ['src/http'],
  valibot: ['src/config.ts', 'src/shapes.ts', 'src/http', 'src/directory', 'src/throttle'],
  '@valibot/to-json-schema': ['schema/openapi'],
  dataloader: ['src/lookup'],
  undici: ['src/rdap'],
  'lru-cache': ['schema', 'src/cache', 'src/http', 'src/accounts', 'src/sources', 'src/storage'],
  tldts: ['src/directory', 'src/sources'],
  tr46: ['src/domain'],
  pino: ['src/log.ts'],
  'prom-client': ['src/metrics'],
  '@opentelemetry/api': ['src/tracing'],
  pg: ['src/storage'],
  prettier: ['schema/print.ts'],
  'node:sqlite': ['src/storage'],
  'node:worker_threads': ['src/storage'],
  'node:http': ['src/http', 'src/sandbox', 'src/accounts'],
  'node:perf_hooks': ['src/http', 'src/metrics'],
  'node:dns': ['src/rdap'],
  'node:net': ['src/app', 'src/http', 'src/rdap', 'src/sandbox', 'src/storage', 'src/addresses.ts'],
  'node:fs': ['src/http', 'src/storage'],
  'node:fs/promises': ['src/app', 'src/http', 'src/directory', 'src/storage', 'schema/print.ts'],
};
const harmless = [
  'crypto',
  'events',
  'module',
  'path',
  'stream',
  'timers/promises',
  'url',
  'util',
  'zlib',
].map((name) => `node:${name}`);

describe('the house', () => {
  it('was read', () => {
    const edges = files.flatMap(({ path, imports }) =>
      imports.map((target) => `${path} → ${target}`),
    );
    expect(edges.length).toBeGreaterThan(200);
    expect(edges).toEqual(
      expect.arrayContaining([
        'src/main.ts → src/app.ts',
        'src/http/rest.ts → graphql',
        'schema/builder.ts → src/context.ts',
      ]),
    );
  });

  it('has no cycle, of types neither', () => {
    expect(cycleIn(new Map(files.map(({ path, imports }) => [path, imports])))).toEqual([]);
  });

  it('has no cycle of rooms', () => {
    expect(cycleIn(new Map(Object.entries(rooms)))).toEqual([]);
  });

  it('has a line in the rules for every room', () => {
    expect(files.map(({ path }) => roomOf(path)).filter((room) => !(room in rooms))).toEqual([]);
  });

  it('is crossed in one direction', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter((target) => /^(?:src|schema)\//.test(target))
        .filter(
          (target) =>
            roomOf(target) !== roomOf(path) && !rooms[roomOf(path)]?.includes(roomOf(target)),
        )
        .map((target) => `${path} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('uses each package in its own room only', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter((target) => !/^(?:src|schema|package\.json)/.test(target))
        .filter((name) => !(harmless.includes(name) && roomOf(path) !== 'src/domain'))
        .filter(
          (name) => !packages[name]?.some((place) => place === path || place === roomOf(path)),
        )
        .map((name) => `${path} uses ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    ['the environment', /process\.env/, ['src/config.ts', 'src/main.ts', 'src/keys.ts']],
    ['the time', /Date\.now|new Date\(\)|performance\.now|process\.hrtime/, ['src/clock.ts']],
    ['the exit', /process\.exit/, ['src/main.ts', 'src/keys.ts']],
  ])('asks for %s in one place', (_what, words, places) => {
    const found = files.filter(({ text }) => words.test(text)).map(({ path }) => path);
    expect(found.filter((path) => !places.includes(path))).toEqual([]);
  });
});

function importsOf(path: string, text: string): readonly string[] {
  const statements = text.matchAll(
    /^(?:import|export)\b[^;'"`]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  return Array.from(statements, ([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '').map(
    (target) => (target.startsWith('.') ? normalize(join(dirname(path), target)) : target),
  );
}

/** A folder of `src`, `schema` and the folder in it, or a file that stands beside them. */
function roomOf(path: string): string {
  return (
    /^(?:schema\/print\.ts|(?:schema\/openapi|schema|src\/[^/]+)(?=\/))/.exec(path)?.[0] ?? path
  );
}

/** The files of a cycle, in order; empty when there is none. */
function cycleIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  function visit(path: string, way: readonly string[]): readonly string[] {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path];
    if (done.has(path)) return [];
    for (const target of graph.get(path) ?? []) {
      const cycle = visit(target, [...way, path]);
      if (cycle.length > 0) return cycle;
    }
    done.add(path);
    return [];
  }
  return (
    Array.from(graph.keys(), (path) => visit(path, [])).find((cycle) => cycle.length > 0) ?? []
  );
}
