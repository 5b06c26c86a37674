import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../../support/package/run.ts';

const script = `
  import { systemClock } from './src/clock.ts';
  import { encodeQuery } from './src/registries/dns/message.ts';
  import { networkExchange } from './src/registries/dns/transport.ts';
  const exchange = networkExchange(systemClock);
  const limits = { timeoutMs: 2000, signal: new AbortController().signal };
  const server = { address: '127.0.0.1', port: 9 };
  const query = encodeQuery('name.example', true);
  const results = await Promise.all(
    Array.from({ length: 200 }, () => exchange('udp', server, query, limits)),
  );
  console.log(results.filter(({ failure }) => failure !== undefined).length);
`;

it('a query ends with a failure if no socket can be opened for it', async () => {
  const node = JSON.stringify(process.execPath);
  const { stdout, stderr } = await run(
    'sh',
    ['-c', `ulimit -n 60; ${node} --input-type=module-typescript -e "$SCRIPT"`],
    { cwd: join(import.meta.dirname, '../../..'), env: { SCRIPT: script } },
  );
  expect([stdout.trim(), stderr]).toEqual(['200', '']);
});
