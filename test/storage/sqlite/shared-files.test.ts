import { existsSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../../src/log.ts';
import { systemClock } from '../../../src/clock.ts';
import { openAccounts, openStores } from '../../../src/storage/open.ts';
import { forThisTest } from '../../support/for-this-test.ts';
import { startProcess, type GatewayProcess } from '../../support/gateways/gateway-process.ts';
import { scratch, type Scratch } from '../../support/stores/scratch.ts';
import { hasTerminal, openTerminal } from '../../support/gateways/terminal.ts';

let folder: Scratch;
beforeEach(async () => void (folder = await forThisTest(scratch)));

const environment = () => ({
  PORT: '0',
  STORE_URL: folder.storeUrl,
  RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:1/dns.json',
  RDAP_ALLOW_PRIVATE: 'true',
});
const options = { clock: systemClock, freeCredits: 10 };
const warning = /Another gateway uses the same SQLite files/;

async function start(): Promise<GatewayProcess> {
  const gateway = await forThisTest(startProcess, environment());
  await gateway.logged('listening');
  return gateway;
}

async function stop(gateway: GatewayProcess, signal: NodeJS.Signals): Promise<string> {
  gateway.kill(signal);
  return (await gateway.ended).stdout;
}

/** Opens the stores. Returns their warning. */
async function openAndClose(): Promise<string | undefined> {
  const stores = await openStores(folder.storeUrl, options, createLog('silent'));
  await stores.close();
  return stores.warning;
}

describe('a gateway on the SQLite files of another process', () => {
  it('warns in the log, until the others have ended, also by a kill', async () => {
    const [first, second] = [await start(), await start()];
    expect(await stop(first, 'SIGKILL')).not.toMatch(warning);
    expect(await openAndClose()).toMatch(warning);
    expect(await stop(second, 'SIGKILL')).toMatch(warning);
    expect(existsSync(folder.storeUrl.replace('sqlite:', '') + '-lock')).toBe(true);
    expect(await openAndClose()).toBeUndefined();
  }, 120_000);

  it.skipIf(!hasTerminal)(
    'warns in its banner (skipped without `script` of util-linux)',
    async () => {
      await start();
      const terminal = openTerminal(`'${process.execPath}' src/main.ts`, environment());
      const banner = await terminal.shown(/Ctrl-C to stop/);
      terminal.interrupt();
      await terminal.ended;
      expect(stripVTControlCharacters(banner)).toMatch(/\n {2}Warning {3}Another gateway uses/);
    },
    120_000,
  );

  it('does not warn of the commands for keys', async () => {
    const accounts = await openAccounts(folder.storeUrl, options);
    expect(await openAndClose()).toBeUndefined();
    await accounts.close();
  });
});
