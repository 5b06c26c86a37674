import { expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';

it.each([
  ['/health', 'ok'],
  ['/ready', 'ready'],
])('%s says yes, to be believed for this moment only', async (path, status) => {
  await using gateway = await startGateway();
  const answer = await gateway.fetch(path);
  expect([answer.status, await answer.json(), answer.headers.get('cache-control')]).toEqual([200, { status }, 'no-store']);
  const head = await gateway.fetch(path, { method: 'HEAD' });
  expect([head.status, await head.text(), head.headers.get('content-length')]).toEqual([200, '', answer.headers.get('content-length')]);
  const posted = await gateway.fetch(path, { method: 'POST' });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});
