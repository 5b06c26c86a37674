import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Scratch extends AsyncDisposable {
  readonly path: string;
  /** A store that outlives the gateways that use it, as `STORE_URL` wants it. */
  readonly storeUrl: string;
}

/** A directory of its own, gone when disposed of. */
export async function scratch(): Promise<Scratch> {
  const path = await mkdtemp(join(tmpdir(), 'gateway-'));
  return {
    path,
    storeUrl: `sqlite:${join(path, 'gateway.db')}`,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
