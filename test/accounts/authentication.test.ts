import { describe, expect, it } from 'vitest';
import { generateKey } from '../../src/accounts/api-key.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { parseResponse, sendRaw } from '../support/raw-http.ts';

describe('AUTH', () => {
  it.each<[string, string, number]>([
    ['from this machine', 'Host: 127.0.0.1:4000\r\n', 200],
    ['from this machine by name', 'Host: localhost:4000\r\n', 200],
    ['from a page of this machine', 'Host: localhost\r\nOrigin: http://localhost:3000\r\n', 200],
    ['from a page of another site', 'Host: localhost\r\nOrigin: https://other.example\r\n', 401],
    ['from a sandboxed page', 'Host: localhost\r\nOrigin: null\r\n', 401],
    ['by a rebound name', 'Host: rebound.example\r\n', 401],
    ['through a proxy', 'Host: localhost\r\nX-Forwarded-For: 192.0.2.1\r\n', 401],
    [
      'through a proxy that tells the protocol alone',
      'Host: localhost\r\nX-Forwarded-Proto: https\r\n',
      401,
    ],
    ['through a proxy of the standard', 'Host: localhost\r\nForwarded: for=192.0.2.1\r\n', 401],
    ['through a proxy that names itself', 'Host: localhost\r\nVia: 1.1 proxy\r\n', 401],
  ])('auto, %s', async (_, headers, status) => {
    await using auto = await startGateway();
    expect(await statusOf(auto, headers)).toBe(status);
  });

  it('open lets everybody in, but nobody with a wrong key', async () => {
    await using open = await startGateway({ env: { AUTH: 'open' } });
    expect(await statusOf(open, 'Host: gateway.example\r\nVia: 1.1 proxy\r\n')).toBe(200);
    expect(await statusOf(open, `Host: gateway.example\r\nX-API-Key: ${generateKey()}\r\n`)).toBe(
      401,
    );
  });

  it('required lets nobody in without a key, from this machine neither', async () => {
    await using required = await startGateway({ env: { AUTH: 'required' } });
    expect(await statusOf(required, 'Host: localhost\r\n')).toBe(401);
  });
});

async function statusOf(gateway: Gateway, headers: string): Promise<number> {
  const text = `GET /v1/status?domain=a.test HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`;
  return parseResponse(await sendRaw(gateway.url, text)).status;
}
