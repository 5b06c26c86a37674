import { randomUUID } from 'node:crypto';
import { chmod, chown, copyFile, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lacksSecurityFixes } from '../../src/cli/node-security.ts';
import { dockerfileStages, dockerfileText, imageSettings } from '../support/package/dockerfile.ts';
import { startCommand } from '../support/gateways/gateway-process.ts';
import { replayDockerfile } from '../support/package/image.ts';
import { Offline } from '../support/package/npm.ts';
import { projectFolder, run } from '../support/package/run.ts';
import { scratch, type Scratch } from '../support/stores/scratch.ts';

const { command, environment, healthcheck, ports, user } = imageSettings();
const lock = JSON.parse(await readFile(join(projectFolder, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { version?: string; dev?: boolean }>;
};

describe('the Dockerfile', () => {
  it('passes the linter', () => {
    expect(validate(dockerfileText)).toEqual([]);
  });

  it('uses the slim official image of a Node release with all known security fixes', () => {
    const bases = dockerfileStages().map(([from]) => from?.text.replace(/ AS .*/, ''));
    expect(new Set(bases)).toEqual(new Set(['node:${NODE_VERSION}-bookworm-slim']));
    const [, version = ''] = /^ARG NODE_VERSION=(26\.\d+\.\d+)$/m.exec(dockerfileText) ?? [];
    expect([version, lacksSecurityFixes(version)]).toEqual([expect.stringMatching(/./), false]);
  });

  it('runs node as an unprivileged user on the exposed port', () => {
    expect([command[0], healthcheck[0], user]).toEqual(['node', 'node', 'node']);
    expect(ports).toEqual([environment['PORT']]);
  });

  it('runs the command of `npm start`', async () => {
    const { scripts } = JSON.parse(await readFile(join(projectFolder, 'package.json'), 'utf8'));
    expect(command.join(' ')).toBe(scripts.start);
  });
});

/** The user in the container; only root can switch to another one. */
const unprivileged = 65_534;
const identity = process.getuid?.() === 0 ? { uid: unprivileged, gid: unprivileged } : {};

describe('the image, built by replaying the Dockerfile', () => {
  let folder: Scratch;
  let image: string;
  let offline: string | undefined;

  beforeAll(async () => {
    folder = await scratch();
    try {
      image = await replayDockerfile(folder.path);
    } catch (error) {
      if (!(error instanceof Offline)) throw error;
      offline = error.message;
    }
  }, 120_000);
  afterAll(() => folder[Symbol.asyncDispose]());

  beforeEach(({ skip }) => skip(offline !== undefined, offline));

  it('contains only the gateway and its production dependencies', async () => {
    expect((await readdir(join(image, 'app'))).toSorted()).toEqual(
      'CHANGELOG.md docs node_modules package.json schema src'.split(' '),
    );
    const installed = JSON.parse(
      await readFile(join(image, 'app/node_modules/.package-lock.json'), 'utf8'),
    );
    const present = Object.keys(installed.packages);
    const forDevelopment = present.filter((path) => lock.packages[path]?.dev);
    expect([forDevelopment, present.length > 20]).toEqual([[], true]);
    const modules = await readdir(join(image, 'app/node_modules'), { withFileTypes: true });
    const workspaces = modules.filter((entry) => entry.isSymbolicLink());
    const runtimes = modules.filter(({ name }) => /^node-(?:bin|darwin|linux|win)-/.test(name));
    expect([workspaces, runtimes]).toEqual([[], []]);
  });

  it('serves, reports its health and stops as a user that can write only to /data', async () => {
    const node = await prepareContainer(image, folder);
    const at = (word = '') => (word === 'node' ? node : word);
    const options = { cwd: join(image, 'app'), ...identity };
    const env = {
      ...environment,
      HOST: '127.0.0.1',
      PORT: '0',
      STORE_URL: environment['STORE_URL']?.replace('/data', `${image}/data`) ?? '',
    };
    await using gateway = startCommand(at(command[0]), command.slice(1), { ...options, env });
    const { url } = await gateway.logged('listening');
    expect(await (await fetch(`${url}/v1/status?domain=taken.test`)).json()).toMatchObject({
      results: [{ available: false }],
    });
    expect(
      await (await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } })).text(),
    ).toContain('<html');
    expect(await (await fetch(`${url}/docs/operations`)).text()).toContain('<h1>Operations</h1>');
    expect((await readdir(join(image, 'data'))).toSorted()).toEqual(
      expect.arrayContaining(['gateway-answers.db', 'gateway.db']),
    );
    const { uid } = await stat(join(image, 'data/gateway.db'));
    expect(uid).toBe(identity.uid ?? process.getuid?.());

    const check = (port: string) =>
      run(at(healthcheck[0]), healthcheck.slice(1), {
        ...options,
        env: { ...environment, PORT: port },
      });
    expect(await check(new URL(url).port)).toMatchObject({ code: 0, stderr: '' });
    gateway.kill('SIGTERM');
    expect(await gateway.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(await check(new URL(url).port)).toMatchObject({ code: 1 });
  });
});

/** Sets the file permissions of a container, and returns a copy of Node that every user can run. */
async function prepareContainer(image: string, folder: Scratch): Promise<string> {
  // A file of its own for each attempt: one that is written or runs cannot be replaced.
  const node = join(folder.path, `node-${randomUUID()}`);
  await copyFile(process.execPath, node);
  await chmod(folder.path, 0o755);
  if (identity.uid === undefined) await run('chmod', ['-R', 'a-w', join(image, 'app')]);
  else await chown(join(image, 'data'), identity.uid, identity.gid);
  return node;
}
