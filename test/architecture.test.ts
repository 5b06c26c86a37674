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
const leaves = ['src/shared', 'src/clock.ts', 'src/log.ts'];

/**
 * Which modules each module may import, besides the leaves. A module is `schema`, a folder of `src`
 * or a file beside them. `docs/architecture.md` shows the same rules as a diagram.
 */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  'src/main.ts': ['src/app.ts', 'src/app', 'src/cli', 'src/config.ts'],
  'src/gateway.ts': ['src/app.ts', 'src/http', 'schema', 'src/config.ts'],
  'src/client': [],
  'src/cli/main.ts': ['src/cli/run.ts', 'src/cli', 'src/config.ts'],
  'src/cli/run.ts': ['src/main.ts', 'src/cli', 'src/config.ts'],
  'src/cli': [
    'src/app.ts',
    'src/app',
    'schema',
    'src/http',
    'src/storage',
    'src/execution',
    'src/accounts',
    'src/lookup',
    'src/domain',
    'src/config.ts',
  ],
  'src/app.ts': [
    'src/app',
    'src/http',
    'src/storage',
    'src/tracing',
    'src/metrics',
    'src/domain',
    'src/config.ts',
  ],
  'src/app': [
    'schema',
    'src/http',
    'src/execution',
    'src/storage',
    'src/accounts',
    'src/lookup',
    'src/registries',
    'src/sandbox',
    'src/tracing',
    'src/outbound',
    'src/metrics',
    'src/sites',
    'src/domain',
    'src/config.ts',
  ],
  'src/config.ts': ['src/domain'],
  schema: ['src/execution', 'src/accounts', 'src/lookup', 'src/sites', 'src/domain'],
  'schema/print.ts': ['schema', 'src/http'],
  'src/http': [
    'schema',
    'src/execution',
    'src/accounts',
    'src/lookup',
    'src/sites',
    'src/domain',
    'src/metrics',
  ],
  'src/execution': ['src/accounts', 'src/lookup', 'src/domain'],
  'src/accounts': ['src/lookup', 'src/domain'],
  'src/lookup': ['src/domain'],
  'src/storage': ['src/accounts', 'src/registries', 'src/outbound', 'src/domain'],
  'src/registries': ['src/outbound', 'src/domain'],
  'src/sites': ['src/outbound', 'src/domain'],
  'src/sandbox': ['src/outbound', 'src/domain'],
  'src/tracing': ['src/http', 'src/outbound', 'src/domain'],
  'src/outbound': ['src/domain'],
  'src/domain': [],
  'src/metrics': [],
  'src/shared': [],
  'src/clock.ts': [],
  'src/log.ts': [],
};

/** Which modules may import a package. `src/domain` is pure, so it may not import Node modules. */
const packages: Readonly<Record<string, readonly string[]>> = {
  '@pothos/core': ['schema'],
  '@pothos/plugin-relay': ['schema'],
  'csv-stringify/sync': ['src/shared'],
  'highlight.js/lib/core': ['src/http'],
  'highlight.js/lib/languages/bash': ['src/http'],
  'highlight.js/lib/languages/graphql': ['src/http'],
  'highlight.js/lib/languages/javascript': ['src/http'],
  'highlight.js/lib/languages/json': ['src/http'],
  'highlight.js/lib/languages/python': ['src/http'],
  'highlight.js/lib/languages/typescript': ['src/http'],
  '@whatwg-node/disposablestack': ['src/app.ts', 'src/app', 'src/execution', 'src/storage'],
  graphql: ['schema', 'schema/print.ts', 'src/execution', 'src/http', 'src/gateway.ts'],
  'graphql-yoga': ['src/execution/pipeline.ts'],
  'graphql-jit': ['src/execution'],
  marked: ['src/http'],
  negotiator: ['src/http'],
  valibot: [
    'src/config.ts',
    'src/cli',
    'src/shared',
    'src/http',
    'src/registries',
    'src/sites',
    'src/outbound',
  ],
  '@valibot/to-json-schema': ['schema', 'src/http'],
  '@modelcontextprotocol/server': ['src/http'],
  '@modelcontextprotocol/server/stdio': ['src/http'],
  dataloader: ['src/lookup', 'src/storage'],
  undici: ['src/outbound'],
  htmlparser2: ['src/sites'],
  'disposable-email-domains': ['src/sites'],
  'node-forge': ['src/sandbox'],
  'lru-cache': [
    'schema',
    'src/http',
    'src/execution',
    'src/accounts',
    'src/storage',
    'src/registries',
    'src/sites',
    'src/outbound',
    'src/sandbox',
  ],
  tldts: ['src/registries', 'src/sites', 'src/outbound'],
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
  'node:http': ['src/http', 'src/outbound', 'src/sandbox', 'src/accounts', 'src/gateway.ts'],
  'node:perf_hooks': ['src/http', 'src/metrics'],
  'dns-packet': ['src/registries', 'src/sandbox'],
  'node:dgram': ['src/registries', 'src/sandbox'],
  'node:dns': ['src/outbound'],
  'node:dns/promises': ['src/registries', 'src/sites'],
  'node:tls': ['src/sites', 'src/outbound', 'src/sandbox'],
  'node:https': ['src/sandbox'],
  'node:net': [
    'src/app',
    'src/http',
    'src/registries',
    'src/outbound',
    'src/sites',
    'src/sandbox',
    'src/storage',
    'src/domain',
  ],
  'node:fs': ['src/cli', 'src/http', 'src/sandbox', 'src/storage'],
  'node:fs/promises': ['src/app', 'src/http', 'src/registries', 'src/storage', 'schema/print.ts'],
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
        'src/execution/execution.ts → graphql',
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
        .filter((target) => !allowedFor(path).includes(moduleOf(target)))
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
      ['src/main.ts', 'src/cli/main.ts', 'src/cli/run.ts', 'src/cli/keys/keys.ts'],
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
});

/** Returns the modules that a file may import. Leaves may import nothing. */
function allowedFor(path: string): readonly string[] {
  const module = moduleOf(path);
  const rule = allowedImports[module] ?? [];
  return rule.length === 0 && leaves.includes(module) ? [] : [...rule, ...leaves];
}

function importsOf(path: string, text: string): readonly string[] {
  const statements = text.matchAll(
    /^(?:import|export)\b[^;'"`]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  return Array.from(statements, ([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '').map(
    (target) => (target.startsWith('.') ? normalize(join(dirname(path), target)) : target),
  );
}

/** Returns the module of a file: its folder of `src`, `schema`, or the file itself. */
function moduleOf(path: string): string {
  return (
    /^(?:schema\/print\.ts|src\/cli\/(?:main|run)\.ts|(?:schema|src\/[^/]+)(?=\/))/.exec(
      path,
    )?.[0] ?? path
  );
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
