import { execFile } from 'node:child_process';
import { access, constants, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';

/** A running Chromium. Closing it removes its files. */
export interface BrowserProcess extends AsyncDisposable {
  /** The address for `chromium.connect`. */
  readonly endpoint: string;
}

/** Starts the browser that the test files of a project share. Vitest closes it after them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const environment = { ...process.env, ...project.config.env };
  const started = await startBrowserProcess(environment).catch(String);
  const isAbsent = typeof started === 'string';
  project.provide('browser', isAbsent ? { absent: started } : { endpoint: started.endpoint });
  return async () => void (isAbsent || (await started[Symbol.asyncDispose]()));
}

/**
 * Starts the installed Chromium (`CHROMIUM_PATH`, `/usr/bin/chromium`) or the one from npm. Rejects
 * with the reasons if none can be started.
 */
export async function startBrowserProcess(
  environment: NodeJS.ProcessEnv = process.env,
): Promise<BrowserProcess> {
  const files = await mkdtemp(join(tmpdir(), 'gateway-browser-'));
  const removeFiles = () => rm(files, { recursive: true, force: true });
  const reasons: string[] = [];
  for (const find of [systemChromium, unpackedChromium]) {
    try {
      const { executablePath, env } = await find(files);
      const options = { args: flags, executablePath, env: { ...environment, ...env } };
      const server = await chromium.launchServer(options);
      return {
        endpoint: server.wsEndpoint(),
        [Symbol.asyncDispose]: () => server.close().then(removeFiles),
      };
    } catch (error) {
      reasons.push(String(error));
    }
  }
  await removeFiles();
  throw new Error(`Chromium cannot be started: ${reasons.join('; ')}`);
}

const flags = [
  '--no-sandbox', // Chromium does not start as root with a sandbox; it opens only our pages
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

interface Executable {
  readonly executablePath: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

async function systemChromium(): Promise<Executable> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
  await access(executablePath, constants.X_OK);
  return { executablePath };
}

/**
 * Unpacks Chromium from npm (Linux on x64) with the libraries and fonts of its package, which a
 * minimal container lacks.
 */
async function unpackedChromium(directory: string): Promise<Executable> {
  // Runs in a separate process, as the package unpacks into os.tmpdir(), and unpacks its libraries
  // only if the environment looks like Lambda.
  const script = `process.stdout.write(await (await import('@sparticuz/chromium')).default.executablePath())`;
  const { stdout: executablePath } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', script],
    {
      cwd: import.meta.dirname,
      env: { ...process.env, TMPDIR: directory, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
    },
  );
  const fontsFile = join(directory, 'fonts.conf');
  await writeFile(
    fontsFile,
    `<fontconfig><dir>${directory}/fonts</dir><cachedir>${directory}/fonts-cache</cachedir></fontconfig>`,
  );
  const libraries = {
    LD_LIBRARY_PATH: join(directory, 'al2023', 'lib'),
    FONTCONFIG_FILE: fontsFile,
  };
  return { executablePath, env: libraries };
}
