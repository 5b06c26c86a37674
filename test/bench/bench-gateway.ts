import { startProcess } from '../support/gateway-process.ts';
import { run } from '../support/run.ts';
import { scratch } from '../support/scratch.ts';
import type { Registries } from './registries.ts';

/** The gateway as it is started in earnest, in a process of its own, with files of its own. */
export interface BenchGateway extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** What a request with a key carries. */
  readonly headers: Readonly<Record<string, string>>;
  /** The same with a key of its own. */
  newHeaders(): Promise<Readonly<Record<string, string>>>;
  /** The body of a 200; rejects for any other answer. */
  text(path: string, init?: RequestInit): Promise<string>;
}

export interface BenchGatewayOptions {
  readonly registries: Registries;
  readonly env?: Readonly<Record<string, string>>;
  /** Where its files are; a folder of its own that goes with it, unless it is named. */
  readonly storeUrl?: string;
}

/** Starts a gateway that lets nobody in without a key, makes a key that can pay for anything, and waits until it serves. */
export async function startBenchGateway({
  registries,
  env = {},
  storeUrl,
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
    ...env,
  };
  const newHeaders = async () => ({ 'x-api-key': await makeKey(settings) });
  const headers = await newHeaders();
  const gateway = parts.use(startProcess(settings));
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

async function makeKey(env: Record<string, string>): Promise<string> {
  const args = [
    'src/accounts/cli/keys.ts',
    'create',
    '--name',
    'Bench',
    '--credits',
    '1000000000',
    '--json',
  ];
  const { code, stdout, stderr } = await run(process.execPath, args, { env });
  if (code !== 0) throw new Error(`no key was made: ${stderr}`);
  return JSON.parse(stdout).key;
}
