import { expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { parseDomainName, splitName } from '../../src/domain/names/domain-name.ts';
import type { AttemptRequest } from '../../src/domain/source.ts';
import type { HttpClient } from '../../src/outbound/client.ts';
import { rdapSource } from '../../src/registries/rdap/rdap-source.ts';

const name = splitName(parseDomainName('unregistered.com'));
const request: AttemptRequest = {
  signal: new AbortController().signal,
  account: 'me',
  queueDeadline: Infinity,
  priority: 'single',
};

/** Returns 404 with an empty body that ends with the connection. */
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
    heldSeconds: 0,
  }),
};

// Tests cannot reach the real host. Its response is taken from a capture; raw-responses.test.ts
// tests the same bytes.
it.each([
  ['https://rdap.verisign.com/com/v1/', 'AVAILABLE'],
  ['https://rdap.verisign.com/net/v1/', 'AVAILABLE'],
  ['https://rdap.verisign.com.example/com/v1/', 'untrusted_answer'],
  ['https://rdap.registry.example/', 'untrusted_answer'],
])('a 404 without a body or a length from %s is %s', async (baseUrl, expected) => {
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
  const { data, problem } = await rdapSource(server, options).lookup(
    { name, detail: 'verdict' },
    request,
  );
  expect(data?.verdict ?? problem?.code).toBe(expected);
});
