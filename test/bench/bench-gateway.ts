import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourcesWithoutDns, startCommand } from '../support/gateways/gateway-process.ts';
import { projectFolder, run } from '../support/package/run.ts';
import { scratch } from '../support/stores/scratch.ts';
import type { Registries } from './servers/registries.ts';

/** The gateway in production configuration, in a separate process with its own files. */
export interface BenchGateway extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** The headers of a request with a key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Creates a key. Returns headers with it. */
  newHeaders(): Promise<Readonly<Record<string, string>>>;
  /** Returns the body of a 200. Rejects for any other status. */
  text(path: string, init?: RequestInit): Promise<string>;
}

export interface BenchGatewayOptions {
  readonly registries: Registries;
  readonly env?: Readonly<Record<string, string>>;
  /** Its store; by default, a temporary folder. */
  readonly storeUrl?: string;
  /** The folder of its files; by default, the working tree. */
  readonly tree?: string;
}

/**
 * Starts a gateway that requires a key, creates a key with enough credits, and waits until it
 * serves requests.
 */
export async function startBenchGateway({
  registries,
  env = {},
  storeUrl,
  tree = projectFolder,
}: BenchGatewayOptions): Promise<BenchGateway> {
  await using parts = new AsyncDisposableStack();
  const folder = parts.use(await scratch());
  const settings = {
    PATH: process.env['PATH'] ?? '',
    PORT: '0',
    STORE_URL: storeUrl ?? folder.storeUrl,
    AUTH: 'required',
    RATE_LIMIT: '0',
    RDAP_BOOTSTRAP_URL: registries.bootstrapUrl,
    RDAP_ALLOW_PRIVATE: 'true',
    SOURCES_FILE: sourcesWithoutDns,
    // No request is sent. Earlier releases do not know `off`.
    CT_SEARCH_URL: 'http://127.0.0.1:1',
    ...env,
  };
  const newHeaders = async () => ({ 'x-api-key': await createKey(tree, settings) });
  const headers = await newHeaders();
  const gateway = parts.use(
    startCommand(process.execPath, scriptOf(tree, 'start'), { cwd: tree, env: settings }),
  );
  const { url } = await gateway.logged('listening');
  const text = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(new URL(path, url), {
      ...init,
      headers: { ...headers, ...init.headers },
    });
    const body = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${body}`);
    return body;
  };
  const running = parts.move();
  return {
    url,
    port: Number(new URL(url).port),
    pid: gateway.pid,
    headers,
    newHeaders,
    text,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Returns the arguments of `node` in a script of the tree's package.json. */
function scriptOf(tree: string, name: 'start' | 'keys'): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8'));
  const [, ...args] = (scripts[name] as string).split(' ');
  return args;
}

async function createKey(tree: string, env: Record<string, string>): Promise<string> {
  const args = [
    ...scriptOf(tree, 'keys'),
    'create',
    '--name',
    'Bench',
    '--force',
    '--credits',
    '1000000000',
    '--json',
  ];
  const { code, stdout, stderr } = await run(process.execPath, args, { cwd: tree, env });
  if (code !== 0) throw new Error(`The key could not be created: ${stderr}`);
  return JSON.parse(stdout).key;
}
