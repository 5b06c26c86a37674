import { execFile } from 'node:child_process';
import { access, constants, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Browser } from 'playwright-core';

/**
 * A Chromium with a new profile, or the reason why none can be started. Closing it removes its
 * files.
 */
export type Started =
  { readonly browser: Browser; close(): Promise<void> } | { readonly absent: string };

/**
 * How long to wait for an element: less than for a poll, whose message would not say what it waits
 * for.
 */
export const actionTimeoutMs = 10_000;

/**
 * Starts the installed Chromium (`CHROMIUM_PATH`, `/usr/bin/chromium`) or the one from npm. Never
 * rejects.
 */
export async function startBrowser(): Promise<Started> {
  const files = await mkdtemp(join(tmpdir(), 'gateway-browser-'));
  const removeFiles = () => rm(files, { recursive: true, force: true });
  const reasons: string[] = [];
  for (const find of [systemChromium, unpackedChromium]) {
    try {
      const browser = await chromium.launch({ args: flags, ...(await find(files)) });
      return { browser, close: () => browser.close().then(removeFiles) };
    } catch (error) {
      reasons.push(String(error));
    }
  }
  await removeFiles();
  return { absent: `Chromium cannot be started: ${reasons.join('; ')}` };
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
  return { executablePath, env: { ...process.env, ...libraries } };
}
