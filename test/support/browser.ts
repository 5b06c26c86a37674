import { execFile } from 'node:child_process';
import { access, constants, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Browser } from 'playwright-core';

/** A Chromium with a fresh profile, or why this machine has none. Closing it leaves nothing behind. */
export type Started =
  { readonly browser: Browser; close(): Promise<void> } | { readonly absent: string };

/** Starts the machine's own Chromium (`CHROMIUM_PATH`, `/usr/bin/chromium`), or else the one that npm brings. Never rejects. */
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
  return { absent: `no Chromium starts here: ${reasons.join('; ')}` };
}

const flags = [
  '--no-sandbox', // it would not start as root with one; the only pages it sees are ours
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

/** npm's Chromium (Linux on x64) with the libraries and fonts of its package: a bare container has neither. */
async function unpackedChromium(directory: string): Promise<Executable> {
  // In a process of its own, as it unpacks into os.tmpdir(), and its libraries only where it believes to be on Lambda.
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
