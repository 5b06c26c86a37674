import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { lookupProblemCodes, problems, type ProblemCode } from '../../src/domain/problems.ts';
import { errorCodeOf } from '../../src/server/messages/problem-response.ts';
import { metricsTable } from '../../src/metrics/table.ts';
import { anchorsIn, codeBlocksIn, guides, guideText, linksIn } from '../support/checks/guides.ts';
import { projectFolder } from '../support/package/run.ts';

const everyWord = guides.map(({ text }) => text).join('\n');
const exists = (path: string) => existsSync(join(projectFolder, path));
const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8');

describe('the README', () => {
  it('links to every guide and to the changelog', () => {
    const links = linksIn(read('README.md'));
    const others = guides.map(({ path }) => path).filter((path) => path !== 'README.md');
    expect(others.filter((path) => !links.includes(path))).toEqual([]);
  });

  it('shows a screenshot of less than 200 KB', () => {
    const size = readFileSync(join(projectFolder, 'docs/proof.png')).length;
    expect(size).toBeLessThan(200_000);
  });
});

describe.each(guides)('$path', ({ path, text }) => {
  it('links to no running gateway', () => {
    const links = linksIn(text).filter((link) => /^\w+:\/\/(?:127\.|localhost|\[::1)/.test(link));
    expect(links).toEqual([]);
  });

  it('has only links to files and anchors that exist', () => {
    const relative = linksIn(text).filter((link) => !/^\w+:/.test(link));
    const broken = relative.filter((link) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : normalize(join(dirname(path), file));
      if (!exists(target)) return true;
      if (anchor === undefined) return false;
      return !anchorsIn(read(target)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('names only files of the project that exist', () => {
    const named = text.match(/(?<![\w/.-])(?:src|test|ops|docs|schema)\/[\w./@-]*\w/g) ?? [];
    const missing = named.filter((file) => !exists(file));
    expect(missing).toEqual([]);
  });

  it('names only metrics that exist', () => {
    // The changelog also names metrics that were removed.
    if (path === 'CHANGELOG.md') return;
    const named = text.match(/\b(?:rdap_)?gateway_(?!restored)[a-z]+_[a-z_]*[a-z]\b/g) ?? [];
    expect(named.filter((name) => !(name in metricsTable))).toEqual([]);
  });

  it('names only settings that exist', () => {
    const settings = new Set([...Object.keys(readConfig({})), ...otherVariables]);
    const named = text.match(/(?<=`|^)[A-Z]{2,}(?:_[A-Z]+)+(?=[`=])/gm) ?? [];
    expect(named.filter((name) => !settings.has(name) && !(name in otherNames))).toEqual([]);
  });
});

/** Variables of Docker Compose, Node.js, terminals and the configuration of agents. */
const otherVariables = [
  'GATEWAY_DOMAIN',
  'POSTGRES_PASSWORD',
  'NODE_VERSION',
  'HTTPS_PROXY',
  'NO_PROXY',
  'COMPOSE_PROJECT_NAME',
  'NO_COLOR',
  'FORCE_COLOR',
  'RDAP_GATEWAY_KEY',
];
const codes = Object.fromEntries(
  (Object.keys(problems) as ProblemCode[]).map((code) => [errorCodeOf(code), '']),
);
/** Names that are no settings: statuses, and codes of problems in the spelling of client libraries. */
const changes = { WITHOUT_VERDICT: '', VERDICT_BACK: '', MAY_BECOME_AVAILABLE: '' };
const otherNames = {
  PENDING_DELETE: '',
  NOT_SOLD: '',
  UNSUPPORTED_TLD: '',
  ON_HOLD: '',
  COST_ESTIMATED_TOO_EXPENSIVE: '',
  ...changes,
  ...codes,
};

describe('the configuration guide', () => {
  it('has a row for each environment variable, and for nothing else', () => {
    const rows = guideText('configuration').matchAll(/^\| `([A-Z_]+)` +\|/gm);
    const named = Array.from(rows, ([, name = '']) => name);
    expect(named.toSorted()).toEqual(Object.keys(readConfig({})).toSorted());
  });

  it('states the default of each environment variable', () => {
    const rows = guideText('configuration').matchAll(/^\| `([A-Z_]+)` +\| (.*?) *\|/gm);
    const printed = new Map(Array.from(rows, ([, name = '', value = '']) => [name, value]));
    const defaults = Object.entries(readConfig({})).filter(
      ([, value]) => typeof value === 'string' || typeof value === 'number',
    );
    expect(defaults.length).toBeGreaterThan(12);
    for (const [name, value] of defaults)
      expect([name, printed.get(name)]).toEqual([name, `\`${String(value)}\``]);
  });
});

describe('the architecture guide', () => {
  const [map] = codeBlocksIn(guideText('architecture'));
  const places = placesIn(map?.code ?? '');

  it('has a line for each file of src/ that is in no other folder, and for nothing else', () => {
    const files = readdirSync(join(projectFolder, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => `src/${name}`);
    expect(places.filter((place) => !place.endsWith('/')).toSorted()).toEqual(files.toSorted());
  });

  it('has a line for each folder of the project, and for nothing else', () => {
    const described = places.filter((place) => place.endsWith('/'));
    const others = 'docs/ findings/ ops/ runtime/ scripts/ schema/ src/ test/'.split(' ');
    const deep = foldersBelow('src').filter((place) => !/\/vendor\/./.test(place));
    const mirrors = new Set(foldersBelow('src'));
    const inTest = globSync('test/*/', { cwd: projectFolder, exclude: ['**/node_modules'] })
      .map((place) => `${place.replaceAll('\\', '/').replace(/\/$/, '')}/`)
      .filter((place) => !mirrors.has(place.replace('test/', 'src/')));
    expect(described.toSorted()).toEqual([...others, ...deep, ...inTest].toSorted());
  });

  it('gives "Common changes" more room than any other section', () => {
    const sections = guideText('architecture').split(/^## /m);
    const longest = sections.reduce((a, b) => (b.length > a.length ? b : a));
    expect(longest).toMatch(/^Common changes\n/);
  });
});

/** Returns the paths in a tree, one per line, indented by two spaces per level. */
function placesIn(tree: string): readonly string[] {
  const parents: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', name] = /^( *)(\S+)/.exec(line) ?? [];
    if (name === undefined) return [];
    const depth = indent.length / 2;
    parents.length = depth;
    parents.push(name);
    return [parents.join('')];
  });
}

/** Returns the folders below a folder of the project, at any depth. */
function foldersBelow(folder: string): readonly string[] {
  return readdirSync(join(projectFolder, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? [`${folder}/${entry.name}/`, ...foldersBelow(`${folder}/${entry.name}`)]
      : [],
  );
}

it('the reliability guide names a test for every guarantee', () => {
  const [, guarantees = ''] = /\n## Guarantees\n([^]+?)\n## /.exec(guideText('reliability')) ?? [];
  const rows = guarantees.split(/^- /m).slice(1);
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter((row) => !/^ {2}Tests: .*(?:\btest\/|`npm run bench)/m.test(row))).toEqual([]);
});

it('the deployment guide and the security policy state the version of Node.js in the image', () => {
  const [, version = ''] = /^ARG NODE_VERSION=(\S+)$/m.exec(read('Dockerfile')) ?? [];
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(guideText('deployment')).toContain(`The Docker image has ${version}.`);
  expect(read('SECURITY.md')).toContain(`The image of the \`Dockerfile\` has ${version},`);
});

describe('the guide to unknown names', () => {
  const [, section = ''] = guideText('verdicts').split('## Why is my name UNKNOWN?');
  const rows = section.split('\n').filter((line) => line.startsWith('| '));

  it('has a row for each reason', () => {
    const reasons = rows.flatMap((row) => /^\| `([a-z_]+)` +\|/.exec(row)?.[1] ?? []);
    expect(reasons.toSorted()).toEqual(lookupProblemCodes.toSorted());
  });

  it('quotes only details that the code contains', () => {
    const code = globSync('src/registries/**/*.ts', { cwd: projectFolder })
      .map((path) => readFileSync(join(projectFolder, path), 'utf8'))
      .join('\n');
    const quoted = rows.flatMap((row) =>
      row.startsWith('| "') ? Array.from(row.split(' | ')[0]?.matchAll(/"([^"]+)"/g) ?? []) : [],
    );
    expect(quoted.length).toBeGreaterThan(8);
    expect(quoted.map(([, text = '']) => text).filter((text) => !code.includes(text))).toEqual([]);
  });
});

it('all guides name every script that runs for as long as wanted', () => {
  const scripts = globSync('test/soak/*.ts', {
    cwd: projectFolder,
    exclude: ['**/*.test.ts'],
  }).filter((path) =>
    /^if \(import\.meta\.main\)|^\/\/ .*`node /m.test(
      readFileSync(join(projectFolder, path), 'utf8'),
    ),
  );
  expect(scripts.filter((path) => !everyWord.includes(path))).toEqual([]);
});
