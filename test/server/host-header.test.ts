import { describe, expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import { sendRaw } from '../support/requests/raw-http.ts';

const gateway = await forThisFile(startGateway);

const statusWith = async (host: string) =>
  (
    await sendRaw(gateway.url, `GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  ).slice(9, 12);

describe('a Host header', () => {
  it.each([
    'localhost',
    'API.example.:8080',
    '192.0.2.1:80',
    '[::1]',
    '[2001:db8::192.0.2.1]:443',
    'a_b%20c.example',
    'a.example:',
    '',
  ])('is valid: "%s"', async (host) => {
    expect(await statusWith(host)).toBe('200');
  });

  it.each([
    '[::',
    '::1',
    '[]',
    'a b',
    'a/b',
    'user@a.example',
    'a:80:80',
    'a:http',
    '%zz',
    'a.example, b.example',
    'bücher.example',
  ])('is invalid: "%s"', async (host) => {
    expect(await statusWith(host)).toBe('400');
  });
});
