import { describe, expect, it } from 'vitest';
import { generateKey } from '../../src/accounts/api-key.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { parseResponse, sendRaw } from '../support/requests/raw-http.ts';

describe('a request without a valid key', () => {
  it.each<[string, string, number]>([
    ['from this machine', 'Host: 127.0.0.1:4000\r\n', 200],
    ['from this machine by name', 'Host: localhost:4000\r\n', 200],
    ['from a page of this machine', 'Host: localhost\r\nOrigin: http://localhost:3000\r\n', 200],
    ['from a page of another site', 'Host: localhost\r\nOrigin: https://other.example\r\n', 401],
    ['from a sandboxed page', 'Host: localhost\r\nOrigin: null\r\n', 401],
    ['under a rebound DNS name', 'Host: rebound.example\r\n', 401],
    ['through a proxy', 'Host: localhost\r\nX-Forwarded-For: 192.0.2.1\r\n', 401],
    [
      'through a proxy that only adds X-Forwarded-Proto',
      'Host: localhost\r\nX-Forwarded-Proto: https\r\n',
      401,
    ],
    ['through a proxy that adds Forwarded', 'Host: localhost\r\nForwarded: for=192.0.2.1\r\n', 401],
    ['through a proxy that adds Via', 'Host: localhost\r\nVia: 1.1 proxy\r\n', 401],
  ])('%s with AUTH=auto gets %3$i', async (_, headers, status) => {
    await using auto = await startGateway();
    expect(await statusOf(auto, headers)).toBe(status);
  });

  it('is accepted with AUTH=open, unless it contains an unknown key', async () => {
    await using open = await startGateway({ env: { AUTH: 'open' } });
    expect(await statusOf(open, 'Host: gateway.example\r\nVia: 1.1 proxy\r\n')).toBe(200);
    expect(await statusOf(open, `Host: gateway.example\r\nX-API-Key: ${generateKey()}\r\n`)).toBe(
      401,
    );
  });

  it('is rejected with AUTH=required, even if it is local', async () => {
    await using required = await startGateway({ env: { AUTH: 'required' } });
    expect(await statusOf(required, 'Host: localhost\r\n')).toBe(401);
  });
});

async function statusOf(gateway: Gateway, headers: string): Promise<number> {
  const text = `GET /v1/status?domain=a.test HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`;
  return parseResponse(await sendRaw(gateway.url, text)).status;
}
