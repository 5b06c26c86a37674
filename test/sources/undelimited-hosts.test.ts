import { expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { parseDomainName } from '../../src/domain/domain-name.ts';
import type { AttemptRequest } from '../../src/domain/source.ts';
import type { HttpClient } from '../../src/sources/rdap/http/client.ts';
import { RdapSource } from '../../src/sources/rdap/rdap-source.ts';

const name = parseDomainName('unregistered.com');
const request: AttemptRequest = {
  signal: new AbortController().signal,
  account: 'me',
  queueDeadline: Infinity,
  priority: 'single',
};

/** A 404 whose empty body ends with the connection. */
const undelimited: HttpClient = {
  get: async (url) => ({
    status: 404,
    mediaType: 'application/rdap+json',
    body: new Uint8Array(),
    url: new URL(url),
    header: () => undefined,
    isDelimited: false,
    retryAfter: undefined,
    ageSeconds: 0,
  }),
};

// The real host cannot be reached from here: what it sends is known from a capture, and the bytes are tested in raw-responses.test.ts.
it.each([
  ['https://rdap.verisign.com/com/v1/', 'AVAILABLE'],
  ['https://rdap.verisign.com/net/v1/', 'AVAILABLE'],
  ['https://rdap.verisign.com.example/com/v1/', 'UNKNOWN'],
  ['https://rdap.registry.example/', 'UNKNOWN'],
])('a 404 without a body or its length, from %s, is %s', async (baseUrl, verdict) => {
  const server = {
    baseUrl,
    trustsNotFound: () => true,
    recordFound: () => {},
    recordMismatch: () => {},
  };
  const options = {
    client: undelimited,
    clock: systemClock,
    timeoutMs: 5000,
    sendPriority: { yieldToSends: () => undefined },
    onParserError: () => {},
  };
  expect(
    await new RdapSource(server, options).lookup({ name, detail: 'verdict' }, request),
  ).toMatchObject({ result: { verdict } });
});
