import { expect, it } from 'vitest';
import { startProcess } from '../../support/gateways/gateway-process.ts';
import { scratch } from '../../support/stores/scratch.ts';

/** Loaded in every thread: ends the ledger thread when `/ready` probes the ledger. */
const hook = `
  import { isMainThread, parentPort } from 'node:worker_threads';
  const end = (calls) => Array.isArray(calls) && calls.some(({ method }) => method === 'probe') && process.exit(7);
  if (!isMainThread) parentPort?.on('message', end);`;

it('logs that the ledger thread exited, and exits with code 1', async () => {
  await using folder = await scratch();
  await using gateway = startProcess({
    PORT: '0',
    STORE_URL: folder.storeUrl,
    RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:1/dns.json',
    NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(hook)}"`,
  });
  const { url } = await gateway.logged('listening');
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect((await fetch(`${url}/ready`)).status).toBe(503);
  const fatal = await gateway.logged(({ level }) => level === 'fatal');
  expect(fatal.err.message).toBe('The ledger thread exited unexpectedly with code 7.');
  expect(await gateway.ended).toMatchObject({ code: 1, signal: null });
});
