import { describe, expect, it } from 'vitest';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import { expectProblem } from '../support/checks/problems.ts';
import { parseResponse, sendRaw } from '../support/requests/raw-http.ts';
import { notFound } from '../support/bodies/replies.ts';
import { paused } from '../support/bodies/scripts.ts';

const registry = await forThisFile(startFakeRegistry);
const gateway = await forThisFile(startGateway, { registries: { example: registry.baseUrl } });

const aboutSites =
  `subdomains tech categorize identity-assets identity-resolution url-intelligence agent-readiness robots ssl/deep-scan certificates
  email/blacklist`.split(/\s+/);

const statusOf = async (target: string) => {
  const text = await sendRaw(
    gateway.url,
    `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
  );
  return parseResponse(text).status;
};

describe('a path', () => {
  it.each(aboutSites)('/v1/%s is a GET', async (path) => {
    const target = path === 'url-intelligence' ? 'url=https://taken.test/' : 'domain=taken.test';
    expect((await gateway.fetch(`/v1/${path}?${target}`)).status).toBe(200);
    const rejection = await gateway.fetch(`/v1/${path}`, { method: 'POST', body: '{}' });
    await expectProblem(rejection, 'method_not_allowed');
  });

  it.each([
    ['/v1/status', 'POST', 'GET, HEAD, OPTIONS'],
    ['/v1/rdap', 'DELETE', 'GET, HEAD, OPTIONS'],
    ['/v1/status/bulk', 'GET', 'POST, OPTIONS'],
    ['/v1/status/bulk', 'HEAD', 'POST, OPTIONS'],
    ['/graphql', 'PATCH', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/tech', 'PUT', 'GET, HEAD, OPTIONS'],
    ['/health', 'POST', 'GET, HEAD, OPTIONS'],
  ])(
    '%s does not support %s, and Allow lists the supported methods',
    async (path, method, allow) => {
      const response = await gateway.fetch(path, { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    },
  );

  it.each([
    '/v1/rdap?domain=taken.test',
    '/v1/rdap',
    '/v1/status?name=taken&tlds=test',
    '/nothing',
  ])('%s responds to HEAD as to GET, without a body', async (path) => {
    const [get, head] = [await gateway.fetch(path), await gateway.fetch(path, { method: 'HEAD' })];
    expect(head.status).toEqual(get.status);
    expect(head.headers.get('content-type')).toEqual(get.headers.get('content-type'));
    expect(await head.text()).toBe('');
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
  });

  it('is read from the request target in any form', async () => {
    expect(await statusOf('http://other.example/health')).toBe(200);
    expect(await statusOf('//health')).toBe(404);
    expect(await statusOf('//other.example/health')).toBe(404);
    expect(await statusOf('/%zz')).toBe(404);
  });
});

describe('a connection', () => {
  it('returns responses in the order of the requests', async () => {
    const slow = paused(notFound());
    registry.on('slow.example', slow);
    const [first, second] = ['/v1/status?domain=slow.example', '/health'].map(
      (path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n`,
    );
    const responses = sendRaw(gateway.url, `${first}\r\n${second}Connection: close\r\n\r\n`);
    await registry.whenRequested('slow.example');
    slow.release();
    expect((await responses).match(/"domain":"slow\.example"|"ok"/g)).toEqual([
      '"domain":"slow.example"',
      '"ok"',
    ]);
  });

  it('is closed if the request body was not read', async () => {
    const request =
      'POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nGET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const response = parseResponse(await sendRaw(gateway.url, request));
    expect([response.status, response.headers.get('connection')]).toEqual([404, 'close']);
  });

  it('receives no response out of order if a malformed request follows a valid one', async () => {
    const slow = paused(notFound());
    registry.on('late.example', slow);
    const text = await sendRaw(
      gateway.url,
      'GET /v1/status?domain=late.example HTTP/1.1\r\nHost: localhost\r\n\r\nnonsense\r\n\r\n',
    );
    slow.release();
    expect(text).toBe('');
  });

  it('is closed after CONNECT, which is rejected', async () => {
    const text = await sendRaw(
      gateway.url,
      'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\nGET /health HTTP/1.1\r\n\r\n',
    );
    const response = parseResponse(text);
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS');
    expect(response.headers.get('connection')).toBe('close');
    await expectProblem(response, 'method_not_allowed');
  });

  it('receives no response to CONNECT out of order', async () => {
    const slow = paused(notFound());
    registry.on('before.example', slow);
    const first = 'GET /v1/status?domain=before.example HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const text = await sendRaw(
      gateway.url,
      `${first}CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n`,
    );
    slow.release();
    expect(text).toBe('');
  });

  it('stays open after a request that was rejected once its body was read', async () => {
    const rejected =
      'POST /v1/status/bulk HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
    const text = await sendRaw(
      gateway.url,
      `${rejected}GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 200']);
  });
});
