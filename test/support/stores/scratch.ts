import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary folder. */
export interface Scratch extends AsyncDisposable {
  readonly path: string;
  /** A `STORE_URL` in the folder; the store persists across gateways. */
  readonly storeUrl: string;
}

/** Creates a temporary folder that is removed on disposal. */
export async function scratch(): Promise<Scratch> {
  const path = await mkdtemp(join(tmpdir(), 'gateway-'));
  return {
    path,
    storeUrl: `sqlite:${join(path, 'gateway.db')}`,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
