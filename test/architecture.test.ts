import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Every source file with its imports, types included. */
const files = globSync(['src/**/*.ts', 'schema/**/*.ts'], { cwd: root }).map((path) => {
  const text = readFileSync(join(root, path), 'utf8');
  return { path, text, imports: importsOf(path, text) };
});

/** The modules that any other may import. */
const shared = [
  'src/clock.ts',
  'src/shared/error-code.ts',
  'src/log.ts',
  'src/shared/memoize.ts',
  'src/shared/printable.ts',
  'src/shared/shapes.ts',
];
const apis = ['schema', 'schema/openapi', 'src/http'];
const parts = [
  'src/directory',
  'src/sources',
  'src/sources/http',
  'src/sources/rdap',
  'src/sources/site',
  'src/throttle',
  'src/cache',
  'src/accounts',
  'src/storage',
  'src/sandbox',
  'src/sources/das',
  'src/sources/dns',
  'src/sources/tcp',
  'src/sources/whois',
  'src/domain',
  'src/domain/ip-network.ts',
  'src/domain/ip-address.ts',
  'src/outbound/public-address.ts',
];

/**
 * Which modules each module may import. A module is a folder of `src` or `schema`, or a file beside
 * them. A new module needs a line here and one in `docs/architecture.md`.
 */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  'src/main.ts': ['src/app.ts', 'src/app', 'src/terminal', 'src/config.ts', ...shared],
  // The entries of the npm package.
  'src/gateway.ts': ['src/app.ts', 'src/config.ts', 'src/http', 'schema'],
  'src/client': [],
  'src/terminal': ['src/app.ts', 'src/config.ts', ...shared],
  'src/cli': [
    'src/main.ts',
    'src/app',
    'src/http',
    'src/lookup',
    'src/storage',
    'src/domain',
    'src/accounts/cli',
    'src/terminal',
    'src/shared/csv.ts',
    'src/config.ts',
    ...shared,
  ],
  // The schema and the validation of documents, for keys that are limited to documents.
  'src/accounts/cli': [
    'src/accounts',
    'src/storage',
    'src/config.ts',
    'schema',
    'src/http',
    ...shared,
  ],
  'src/app.ts': [
    'src/app',
    'src/http',
    'src/storage',
    'src/domain',
    'src/domain/ip-address.ts',
    'src/metrics',
    'src/tracing',
    'src/config.ts',
    ...shared,
  ],
  'src/app': [
    ...apis,
    ...parts,
    'src/lookup',
    'src/metrics',
    'src/tracing',
    'src/config.ts',
    'src/execution/context.ts',
    ...shared,
  ],
  'src/metrics': shared,
  'src/tracing': ['src/http', 'src/sources/http', 'src/domain', ...shared],
  'src/config.ts': ['src/domain/ip-address.ts', 'src/log.ts'],
  schema: ['src/execution/context.ts', 'src/lookup', 'src/domain', 'src/accounts', ...shared],
  'schema/print.ts': ['schema', 'schema/openapi'],
  // The OpenAPI document is printed from the tables that the REST API itself reads.
  'schema/openapi': ['schema', 'src/shared/csv.ts', 'src/http', 'src/domain', ...shared],
  'src/http': [
    'src/execution/context.ts',
    'src/shared/csv.ts',
    'src/lookup',
    'src/domain',
    'src/accounts',
    'src/metrics',
    'src/domain/ip-address.ts',
    ...shared,
  ],
  'src/execution/context.ts': ['src/lookup', 'src/domain', 'src/accounts', ...shared],
  'src/lookup': ['src/domain', ...shared],
  'src/directory': [
    'src/sources/das',
    'src/sources/whois',
    'src/sources/http',
    'src/sources/rdap',
    'src/cache',
    'src/domain',
    'src/domain/ip-address.ts',
    'src/domain/ip-network.ts',
    'src/outbound/public-address.ts',
    ...shared,
  ],
  'src/sources': [
    'src/directory',
    'src/sources/das',
    'src/sources/dns',
    'src/sources/whois',
    'src/sources/http',
    'src/sources/rdap',
    'src/throttle',
    'src/cache',
    'src/domain',
    ...shared,
  ],
  'src/sources/http': ['src/domain', 'src/outbound/public-address.ts', ...shared],
  'src/sources/rdap': [
    'src/sources/http',
    'src/throttle',
    'src/domain',
    'src/domain/ip-network.ts',
    ...shared,
  ],
  'src/sources/site': [
    'src/sources/http',
    'src/throttle',
    'src/cache',
    'src/domain',
    'src/domain/ip-address.ts',
    'src/outbound/public-address.ts',
    ...shared,
  ],
  'src/sources/tcp': ['src/domain', 'src/outbound/public-address.ts', ...shared],
  'src/sources/whois': ['src/sources/tcp', 'src/domain', ...shared],
  'src/sources/das': ['src/sources/tcp', 'src/domain', ...shared],
  'src/sources/dns': ['src/throttle', 'src/domain', 'src/outbound/public-address.ts', ...shared],
  'src/cache': ['src/domain', ...shared],
  'src/accounts': ['src/lookup', 'src/domain', 'src/domain/ip-address.ts', ...shared],
  'src/throttle': ['src/domain', ...shared],
  'src/storage': ['src/throttle', 'src/cache', 'src/accounts', 'src/domain', ...shared],
  'src/sandbox': ['src/domain', 'src/domain/ip-network.ts', ...shared],
  'src/domain': ['src/domain/ip-network.ts', 'src/shared/printable.ts'],
  'src/domain/ip-network.ts': ['src/domain/ip-address.ts'],
  'src/domain/ip-address.ts': [],
  'src/outbound/public-address.ts': [],
  'src/clock.ts': [],
  'src/shared/csv.ts': [],
  'src/shared/error-code.ts': [],
  'src/log.ts': [],
  'src/shared/memoize.ts': [],
  'src/shared/printable.ts': [],
  'src/shared/shapes.ts': [],
};

/** Which modules may import a package. `src/domain` is pure, so it may not import Node modules. */
const packages: Readonly<Record<string, readonly string[]>> = {
  '@pothos/core': ['schema'],
  '@pothos/plugin-relay': ['schema'],
  'csv-stringify/sync': ['src/shared/csv.ts'],
  'highlight.js/lib/core': ['src/http'],
  'highlight.js/lib/languages/bash': ['src/http'],
  'highlight.js/lib/languages/graphql': ['src/http'],
  'highlight.js/lib/languages/javascript': ['src/http'],
  'highlight.js/lib/languages/json': ['src/http'],
  'highlight.js/lib/languages/python': ['src/http'],
  'highlight.js/lib/languages/typescript': ['src/http'],
  '@whatwg-node/disposablestack': ['src/app.ts', 'src/app', 'src/execution', 'src/storage'],
  graphql: [
    'schema',
    'schema/openapi',
    'schema/print.ts',
    'src/execution',
    'src/http',
    'src/gateway.ts',
  ],
  'graphql-yoga': ['src/execution'],
  'graphql-jit': ['src/execution'],
  marked: ['src/http'],
  negotiator: ['src/http'],
  valibot: [
    'src/config.ts',
    'src/cli',
    'src/shared/shapes.ts',
    'src/http',
    'src/directory',
    'src/throttle',
  ],
  '@valibot/to-json-schema': ['schema/openapi', 'src/http'],
  '@modelcontextprotocol/server': ['src/http'],
  '@modelcontextprotocol/server/stdio': ['src/http'],
  dataloader: ['src/lookup'],
  undici: ['src/sources/http'],
  htmlparser2: ['src/sources/site'],
  'disposable-email-domains': ['src/sources/site'],
  'node-forge': ['src/sandbox'],
  'lru-cache': [
    'schema',
    'src/cache',
    'src/execution',
    'src/http',
    'src/accounts',
    'src/sources',
    'src/sources/dns',
    'src/sources/site',
    'src/storage',
  ],
  tldts: ['src/directory', 'src/sources', 'src/sources/rdap', 'src/sources/site'],
  tr46: ['src/domain'],
  pino: ['src/log.ts'],
  'prom-client': ['src/metrics'],
  '@opentelemetry/api': ['src/tracing'],
  pg: ['src/storage'],
  prettier: ['schema/print.ts'],
  'node:sqlite': ['src/storage'],
  'node:worker_threads': ['src/storage'],
  'node:readline': ['src/cli'],
  'node:tty': ['src/cli'],
  'node:http': ['src/http', 'src/sandbox', 'src/accounts', 'src/gateway.ts'],
  'node:perf_hooks': ['src/http', 'src/metrics'],
  'dns-packet': ['src/sources/dns', 'src/sandbox'],
  'node:dgram': ['src/sources/dns', 'src/sandbox'],
  'node:dns': ['src/outbound/public-address.ts'],
  'node:dns/promises': ['src/sources/dns', 'src/sources/site'],
  'node:tls': ['src/sources/site', 'src/outbound/site-pools.ts', 'src/sandbox'],
  'node:https': ['src/sandbox'],
  'node:net': [
    'src/app',
    'src/http',
    'src/sources/dns',
    'src/sources/http',
    'src/sources/rdap',
    'src/sources/site',
    'src/sources/tcp',
    'src/sandbox',
    'src/storage',
    'src/domain/ip-address.ts',
    'src/domain/ip-network.ts',
    'src/outbound/public-address.ts',
  ],
  'node:fs': ['src/accounts/cli', 'src/http', 'src/storage'],
  'node:fs/promises': ['src/app', 'src/http', 'src/directory', 'src/storage', 'schema/print.ts'],
};
const pureBuiltins = [
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

describe('the architecture', () => {
  it('is checked on the real files', () => {
    const edges = files.flatMap(({ path, imports }) =>
      imports.map((target) => `${path} → ${target}`),
    );
    expect(edges.length).toBeGreaterThan(200);
    expect(edges).toEqual(
      expect.arrayContaining([
        'src/main.ts → src/app.ts',
        'src/http/graphql/errors.ts → graphql',
        'schema/builder.ts → src/execution/context.ts',
      ]),
    );
  });

  it('has no import cycle between files, types included', () => {
    expect(cycleIn(new Map(files.map(({ path, imports }) => [path, imports])))).toEqual([]);
  });

  it('allows no import cycle between modules', () => {
    expect(cycleIn(new Map(Object.entries(allowedImports)))).toEqual([]);
  });

  it('has a rule for every module', () => {
    const modules = files.map(({ path }) => moduleOf(path));
    expect(modules.filter((module) => !(module in allowedImports))).toEqual([]);
  });

  it('imports a module only where the rules allow it', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter((target) => /^(?:src|schema)\//.test(target))
        .filter((target) => moduleOf(target) !== moduleOf(path))
        .filter((target) => !allowedImports[moduleOf(path)]?.includes(moduleOf(target)))
        .map((target) => `${path} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('imports a package only where the rules allow it', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter((target) => !/^(?:src|schema|package\.json)/.test(target))
        .filter((name) => !(pureBuiltins.includes(name) && moduleOf(path) !== 'src/domain'))
        .filter(
          (name) => !packages[name]?.some((place) => place === path || place === moduleOf(path)),
        )
        .map((name) => `${path} uses ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    [
      'the environment',
      /process\.env/,
      ['src/config.ts', 'src/main.ts', 'src/cli/main.ts', 'src/cli/keys/keys.ts'],
    ],
    ['the clock', /Date\.now|new Date\(\)|performance\.now|process\.hrtime/, ['src/clock.ts']],
    [
      'the exit code',
      /process\.exit/,
      ['src/main.ts', 'src/cli/main.ts', 'src/cli/failed-output.ts', 'src/cli/keys/keys.ts'],
    ],
  ])('accesses %s in the files named for it only', (_what, access, allowed) => {
    const found = files.filter(({ text }) => access.test(text)).map(({ path }) => path);
    expect(found.filter((path) => !allowed.includes(path))).toEqual([]);
  });

  it('imports AsyncDisposableStack, which Node 22 lacks', () => {
    const missing = files.filter(
      ({ text, imports }) =>
        text.includes('new AsyncDisposableStack(') &&
        !imports.includes('@whatwg-node/disposablestack'),
    );
    expect(missing.map(({ path }) => path)).toEqual([]);
  });

  it('has at most 16 files in a folder', () => {
    const counts = Map.groupBy(files, ({ path }) => dirname(path));
    const sizes = Array.from(counts, ([folder, { length }]) => [folder, length] as const);
    expect(sizes.filter(([, size]) => size > 16)).toEqual([]);
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

/** Returns the module of a file: the longest rule that is the file itself or one of its folders. */
function moduleOf(path: string): string {
  const nested =
    /^(?:schema\/print\.ts|(?:schema\/openapi|src\/accounts\/cli|src\/sources\/(?:das|dns|http|rdap|site|tcp|whois)|schema|src\/[^/]+)(?=\/))/;
  return nested.exec(path)?.[0] ?? path;
}

/** Returns the nodes of a cycle in order, or nothing if there is none. */
function cycleIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  function visit(path: string, trail: readonly string[]): readonly string[] {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return [];
    for (const target of graph.get(path) ?? []) {
      const cycle = visit(target, [...trail, path]);
      if (cycle.length > 0) return cycle;
    }
    done.add(path);
    return [];
  }
  return (
    Array.from(graph.keys(), (path) => visit(path, [])).find((cycle) => cycle.length > 0) ?? []
  );
}
