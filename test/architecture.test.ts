import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Every source file with its imports, types included. */
const files = globSync('src/**/*.ts', { cwd: root }).map((path) => {
  const text = readFileSync(join(root, path), 'utf8');
  return { path, text, imports: importsOf(path, text) };
});

/** The modules that any other may import. */
const leaves = ['src/shared', 'src/clock.ts', 'src/log.ts'];

/**
 * Which modules each module may import, besides the leaves. A module is a folder of `src` or a file
 * beside them. `docs/architecture.md` shows the same rules as a diagram.
 */
const core = ['src/execution', 'src/lookup', 'src/accounts', 'src/domain'];
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  'src/main.ts': ['src/app.ts', 'src/app', 'src/cli', 'src/config.ts'],
  'src/gateway.ts': ['src/app.ts', 'src/app', 'src/api', 'src/config.ts'],
  'src/client': [],
  'src/cli/main.ts': ['src/cli/run.ts', 'src/cli', 'src/config.ts'],
  'src/cli/keys/keys.ts': ['src/cli/run.ts'],
  'src/cli/run.ts': ['src/main.ts', 'src/cli', 'src/config.ts'],
  'src/cli': [
    'src/app.ts',
    'src/app',
    'src/receipts',
    'src/api',
    'src/storage',
    ...core,
    'src/config.ts',
  ],
  'src/app.ts': [
    'src/app',
    'src/api',
    'src/server',
    'src/storage',
    'src/tracing',
    'src/metrics',
    'src/domain',
    'src/config.ts',
  ],
  'src/app': [
    'src/watches',
    'src/receipts',
    'src/sites',
    'src/api',
    'src/schema',
    'src/website',
    'src/server',
    ...core,
    'src/storage',
    'src/registries',
    'src/sandbox',
    'src/tracing',
    'src/outbound',
    'src/metrics',
    'src/config.ts',
  ],
  'src/config.ts': ['src/domain'],
  'src/watches': ['src/api', 'src/schema', 'src/server', ...core, 'src/outbound'],
  'src/receipts': [
    'src/api',
    'src/schema',
    'src/server',
    'src/website',
    ...core,
    'src/registries',
    'src/outbound',
  ],
  'src/sites': ['src/api', 'src/schema', 'src/server', ...core, 'src/outbound'],
  'src/api': ['src/website', 'src/server', ...core],
  'src/schema': core,
  'src/website': ['src/server', ...core, 'src/metrics'],
  'src/server': core,
  'src/execution': ['src/accounts', 'src/lookup', 'src/domain'],
  'src/accounts': ['src/domain'],
  'src/lookup': ['src/domain'],
  'src/storage': ['src/accounts', 'src/registries', 'src/outbound', 'src/domain'],
  'src/registries': ['src/outbound', 'src/domain'],
  'src/sandbox': ['src/outbound', 'src/domain'],
  'src/tracing': ['src/server', 'src/outbound', 'src/domain'],
  'src/outbound': ['src/domain'],
  'src/domain': [],
  'src/metrics': [],
  'src/shared': [],
  'src/clock.ts': [],
  'src/log.ts': [],
};

/** Which modules may import a package. `src/domain` is pure, so it may not import Node modules. */
const packages: Readonly<Record<string, readonly string[]>> = {
  '@pothos/core': ['src/schema', 'src/sites'],
  '@pothos/plugin-relay': ['src/schema'],
  'csv-stringify/sync': ['src/shared'],
  'highlight.js/lib/core': ['src/website'],
  'highlight.js/lib/languages/bash': ['src/website'],
  'highlight.js/lib/languages/graphql': ['src/website'],
  'highlight.js/lib/languages/javascript': ['src/website'],
  'highlight.js/lib/languages/json': ['src/website'],
  'highlight.js/lib/languages/python': ['src/website'],
  'highlight.js/lib/languages/typescript': ['src/website'],
  '@whatwg-node/disposablestack': [
    'src/app.ts',
    'src/app',
    'src/execution',
    'src/storage',
    'src/sites',
  ],
  graphql: ['src/schema', 'src/execution', 'src/gateway.ts', 'src/api', 'src/app'],
  'graphql-yoga': ['src/execution/pipeline.ts'],
  marked: ['src/website'],
  jose: ['src/server'],
  negotiator: ['src/server', 'src/website'],
  valibot: [
    'src/config.ts',
    'src/cli',
    'src/shared',
    'src/registries',
    'src/sites',
    'src/watches',
    'src/outbound',
    'src/api',
    'src/receipts',
  ],
  '@valibot/to-json-schema': ['src/api'],
  '@modelcontextprotocol/server': ['src/api'],
  '@modelcontextprotocol/server/stdio': ['src/api'],
  dataloader: ['src/lookup', 'src/storage'],
  undici: ['src/outbound'],
  htmlparser2: ['src/sites'],
  'disposable-email-domains': ['src/sites'],
  'lru-cache': [
    'src/schema',
    'src/execution',
    'src/accounts',
    'src/storage',
    'src/registries',
    'src/sites',
    'src/outbound',
    'src/sandbox',
    'src/api',
    'src/server',
    'src/website',
  ],
  tldts: ['src/registries', 'src/sites', 'src/outbound'],
  tr46: ['src/domain'],
  pino: ['src/log.ts'],
  'prom-client': ['src/metrics'],
  '@opentelemetry/api': ['src/tracing'],
  pg: ['src/storage'],
  'node:sqlite': ['src/storage'],
  'node:worker_threads': ['src/storage', 'src/cli'],
  'node:readline': ['src/cli'],
  'node:tty': ['src/cli'],
  'node:http': 'src/outbound src/sandbox src/accounts src/gateway.ts src/api src/server'.split(' '),
  'node:perf_hooks': ['src/metrics', 'src/app'],
  'node:v8': ['src/app'],
  'node:vm': ['src/app'],
  'dns-packet': ['src/registries', 'src/sandbox'],
  'node:dgram': ['src/registries', 'src/sandbox'],
  'node:dns': ['src/outbound'],
  'node:dns/promises': ['src/registries', 'src/sites'],
  'node:tls': ['src/sites', 'src/outbound'],
  'node:net': [
    'src/app',
    'src/registries',
    'src/outbound',
    'src/sites',
    'src/sandbox',
    'src/storage',
    'src/domain',
    'src/api',
    'src/server',
  ],
  'node:fs': ['src/cli', 'src/sites', 'src/storage', 'src/server', 'src/website'],
  'node:fs/promises': ['src/app', 'src/registries', 'src/storage', 'src/sites', 'src/website'],
};
const pureBuiltins = 'crypto events module path stream timers/promises url util zlib'
  .split(' ')
  .map((name) => `node:${name}`);

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
        'src/schema/builder.ts → src/execution/context.ts',
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
      [...new Set(imports)]
        .filter((target) => target.startsWith('src/'))
        .filter((target) => moduleOf(target) !== moduleOf(path))
        .filter((target) => !allowedFor(path).includes(moduleOf(target)))
        .map((target) => `${path} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('imports a package only where the rules allow it', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter((target) => !/^(?:src|package\.json)/.test(target))
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
    ['what differs in a bundle', /import\.meta\.(?:main|resolve)/, []],
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

  // A file compiles without another one that it does not import, unless that one declares types of other modules.
  it('registers the sites in src/app alone, so that everything else compiles without them', () => {
    const users = files.filter(({ imports }) =>
      imports.some((target) => target.startsWith('src/sites/')),
    );
    expect(new Set(users.map(({ path }) => moduleOf(path)))).toEqual(
      new Set(['src/app', 'src/sites']),
    );
    const declaring = files.filter(({ text }) => /^\s*declare (?:global|module)\b/m.test(text));
    expect(declaring.map(({ path }) => path)).toEqual([]);
  });

  it('has at most 25 files in a folder, and 300 lines in a file', () => {
    const all = globSync('src/**/*.*', { cwd: root }).filter((path) => !/\/vendor\//.test(path));
    const folders = Object.entries(Object.groupBy(all, dirname));
    expect(folders.filter(([, inside = []]) => inside.length > 25).map(([name]) => name)).toEqual(
      [],
    );

    const long = files.filter(({ text }) => text.trimEnd().split('\n').length > 300);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  // The client library has types of its own, for its users.
  it('exports each type under a name that no other exported type has', () => {
    const exported = files
      .filter(({ path }) => moduleOf(path) !== 'src/client')
      .flatMap(({ path, text }) =>
        Array.from(
          text.matchAll(/^export (?:declare |abstract )*(?:interface|type|class) (\w+)/gm),
          ([, name = '']) => ({ name, path }),
        ),
      );
    const byName = Map.groupBy(exported, ({ name }) => name);
    const repeated = exported.filter(({ name }) => (byName.get(name)?.length ?? 0) > 1);
    expect(exported.length).toBeGreaterThan(500);
    expect(repeated).toEqual([]);
  });

  it('imports the stacks of disposables, which Node 22 lacks', () => {
    const missing = files.filter(
      ({ text, imports }) =>
        /new (?:Async)?DisposableStack\(/.test(text) &&
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

/** Returns the module of a file: its folder of `src`, or the file itself. */
function moduleOf(path: string): string {
  return /^(?:src\/cli\/(?:main|run|keys\/keys)\.ts|src\/[^/]+(?=\/))/.exec(path)?.[0] ?? path;
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
