import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import {
  readReleaseFiles,
  releaseProblems,
  type ReleaseFiles,
} from '../../scripts/check-release.ts';
import { projectFolder } from '../support/package/run.ts';

const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8');
const filesOf = (pattern: string) =>
  globSync(pattern, { cwd: projectFolder }).map((path) => path.replaceAll('\\', '/'));

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly needs?: string;
  readonly uses?: string;
  readonly 'runs-on'?: string;
  readonly 'timeout-minutes'?: number;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps?: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const workflow = (name: string): Workflow => parse(read(`.github/workflows/${name}.yml`));
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps = [] }) => steps);
const commandsOf = ({ steps = [] }: Job) => steps.map(({ run = '' }) => run).join('\n');

describe.each(['ci', 'release'])('the workflow %s', (name) => {
  const { jobs, permissions } = workflow(name);

  it('may only read, except in jobs that say so', () => {
    expect(permissions).toEqual({ contents: 'read' });
    const writing = Object.entries(jobs).flatMap(([job, { permissions: own = {} }]) =>
      Object.entries(own).flatMap(([scope, level]) =>
        level === 'write' ? [`${job} ${scope}`] : [],
      ),
    );
    expect(writing).toEqual(name === 'release' ? ['npm id-token', 'image packages'] : []);
  });

  it('has jobs that a runner accepts', () => {
    for (const [id, job] of Object.entries(jobs)) {
      const isCall = job.uses !== undefined;
      expect([id, job['runs-on'], typeof job['timeout-minutes']]).toEqual(
        isCall ? [id, undefined, 'undefined'] : [id, 'ubuntu-latest', 'number'],
      );
      if (job.needs !== undefined) expect(Object.keys(jobs)).toContain(job.needs);
      if (isCall) expect(existsSync(join(projectFolder, job.uses ?? ''))).toBe(true);
      for (const step of job.steps ?? [])
        expect([step.uses, step.run].filter((each) => each !== undefined)).toHaveLength(1);
    }
  });

  it('uses actions of a major version, and no token of the checkout', () => {
    for (const { uses = 'a/b@v1', with: inputs } of stepsOf(workflow(name))) {
      expect(uses).toMatch(/^[\w-]+\/[\w-]+@v\d+$/);
      if (uses.startsWith('actions/checkout@')) expect(inputs?.['persist-credentials']).toBe(false);
    }
  });

  it('runs files and npm scripts that exist', () => {
    const commands = stepsOf(workflow(name)).map(({ run = '' }) => run);
    const files = commands.flatMap((text) => text.match(/(?:scripts|\.ci)\/[\w.-]+/g) ?? []);
    expect(files.filter((file) => !existsSync(join(projectFolder, file)))).toEqual([]);
    const scripts = commands.flatMap((text) => text.match(/(?<=npm run )[\w:]+/g) ?? []);
    expect(scripts.filter((script) => !(script in packageJson.scripts))).toEqual([]);
  });
});

it('the spell checker skips only files that exist', () => {
  const { ignorePaths }: { readonly ignorePaths: readonly string[] } = JSON.parse(
    read('scripts/spelling/cspell.json'),
  );
  expect(ignorePaths.length).toBeGreaterThan(10);
  expect(ignorePaths.filter((pattern) => filesOf(pattern).length === 0)).toEqual([]);
});

it('the workflow ci runs the checks for each pull request and each push to the default branch', () => {
  const { on, jobs } = workflow('ci');
  expect(Object.keys(on).toSorted()).toEqual(['pull_request', 'push', 'workflow_call']);
  expect(commandsOf(jobs['check'] ?? {}).trim()).toBe('.ci/run');
});

describe('the workflow release', () => {
  const { on, jobs } = workflow('release');

  it('runs only for a tag of a version, and publishes only what the checks accept', () => {
    expect(on).toEqual({ push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } });
    expect(commandsOf(jobs['version'] ?? {})).toContain('scripts/check-release.ts');
    expect(jobs['check']).toEqual({ needs: 'version', uses: './.github/workflows/ci.yml' });
    const publishing = Object.keys(jobs).filter((id) => !['version', 'check'].includes(id));
    for (const id of publishing) expect([id, jobs[id]?.needs]).toEqual([id, 'check']);
  });

  it('publishes the npm package with provenance', () => {
    expect(commandsOf(jobs['npm'] ?? {})).toContain('npm publish --provenance --access public');
    expect(jobs['npm']?.permissions?.['id-token']).toBe('write');
  });

  it('publishes the image for two architectures', () => {
    const build = jobs['image']?.steps?.find(({ uses }) => uses?.startsWith('docker/build-push'));
    expect(build?.with).toMatchObject({
      platforms: 'linux/amd64,linux/arm64',
      push: true,
      provenance: 'mode=max',
    });
  });
});

describe('Dependabot', () => {
  const manifests: Readonly<Record<string, string>> = {
    npm: 'package.json',
    docker: 'Dockerfile',
    'github-actions': '.github/workflows/ci.yml',
  };
  const { version, updates } = parse(read('.github/dependabot.yml'));

  it('updates the packages of each folder that has some', () => {
    expect(version).toBe(2);
    const updated = updates.flatMap((update: Record<string, unknown>) => {
      const folders = update['directories'] ?? [update['directory']];
      return (folders as string[]).map((folder) =>
        join(folder, manifests[String(update['package-ecosystem'])] ?? '?').slice(1),
      );
    });
    const locks = filesOf('**/package-lock.json').filter((path) => !path.includes('node_modules'));
    const expected = [
      ...locks.map((path) => path.replace('package-lock.json', 'package.json')),
      'Dockerfile',
      '.github/workflows/ci.yml',
    ];
    expect(updated.toSorted()).toEqual(expected.toSorted());
  });
});

describe.each(filesOf('.github/ISSUE_TEMPLATE/*.yml').filter((path) => !path.includes('config')))(
  '%s',
  (path) => {
    it('is a form that GitHub accepts', () => {
      const { name, description, labels, body, ...others } = parse(read(path));
      expect([name, description].every((text) => typeof text === 'string' && text !== '')).toBe(
        true,
      );
      expect([labels.length, others]).toEqual([1, {}]);
      for (const { type, id, attributes } of body) {
        expect(['markdown', 'input', 'textarea']).toContain(type);
        expect(typeof (type === 'markdown' ? attributes.value : attributes.label)).toBe('string');
        expect(id === undefined).toBe(type === 'markdown');
      }
      const ids = body.flatMap(({ id }: { id?: string }) => id ?? []);
      expect(new Set(ids).size).toBe(ids.length);
    });
  },
);

it('ops/server.json has the form that registries of MCP servers accept', () => {
  const text = { type: 'string', minLength: 1 };
  const entry = {
    type: 'object',
    additionalProperties: false,
    required: ['registryType', 'identifier', 'version', 'transport'],
    properties: {
      registryType: { const: 'npm' },
      identifier: { const: packageJson.name },
      version: { const: packageJson.version },
      runtimeHint: { const: 'npx' },
      packageArguments: {
        type: 'array',
        items: {
          type: 'object',
          required: ['type', 'value'],
          properties: { type: { const: 'positional' }, value: { const: 'mcp' } },
        },
      },
      transport: { const: { type: 'stdio' } },
    },
  };
  const validate = new Ajv().compile({
    type: 'object',
    additionalProperties: false,
    required: ['$schema', 'name', 'description', 'version', 'packages'],
    properties: {
      $schema: { type: 'string', pattern: '^https://static\\.modelcontextprotocol\\.io/schemas/' },
      name: { type: 'string', pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
      title: { ...text, maxLength: 100 },
      description: { ...text, maxLength: 100 },
      version: { const: packageJson.version },
      packages: { type: 'array', minItems: 1, items: entry },
    },
  });
  expect([validate(JSON.parse(read('ops/server.json'))), validate.errors]).toEqual([true, null]);
});

it('the changelog has the changes of the next release first, then the releases with their dates', () => {
  const [next, ...releases] = read('CHANGELOG.md').match(/^## .+/gm) ?? [];
  expect(next).toBe('## Unreleased');
  expect(releases.length).toBeGreaterThan(0);
  for (const title of releases) expect(title).toMatch(/^## \d+\.\d+\.\d+ - \d{4}-\d\d-\d\d$/);
  const dates = releases.map((title) => title.slice(-10));
  expect(dates).toEqual(dates.toSorted().toReversed());
});

describe('a release', () => {
  const name = 'io.github.example/rdap-graphql-gateway';
  const complete: ReleaseFiles = {
    manifest: { version: '1.2.3', repository: 'github:example/gateway', mcpName: name },
    mcpServer: { name, version: '1.2.3', packages: [{ version: '1.2.3' }] },
    changelog: '# Changelog\n\n## Unreleased\n\n## 1.2.3 - 2026-12-01\n',
    kubernetes: 'image: registry.example/rdap-graphql-gateway:1.2.3\n',
  };
  const { manifest, mcpServer } = complete;

  it('is accepted if every file names its version', () => {
    expect(releaseProblems('v1.2.3', complete)).toEqual([]);
  });

  it.each<[string, ReleaseFiles, string?]>([
    ['The tag is v1.2.4', complete, 'v1.2.4'],
    ['no "repository"', { ...complete, manifest: { version: '1.2.3', mcpName: name } }],
    ['"mcpName"', { ...complete, manifest: { ...manifest, mcpName: 'io.github.b/other' } }],
    ['ops/server.json', { ...complete, mcpServer: { ...mcpServer, packages: [{ version: '1' }] } }],
    ['ops/kubernetes.yaml', { ...complete, kubernetes: 'rdap-graphql-gateway:1.2.30\n' }],
    ['CHANGELOG.md', { ...complete, changelog: '## Unreleased\n\n## 1x2.3 - 2026-12-01\n' }],
  ])('is rejected with one reason: %s', (reason, files, tag = 'v1.2.3') => {
    expect(releaseProblems(tag, files)).toEqual([expect.stringContaining(reason)]);
  });

  it('of this repository needs an owner first', () => {
    const problems = releaseProblems(`v${packageJson.version}`, readReleaseFiles());
    expect(problems).toContain('ops/server.json has no owner.');
  });
});
