import { describe, expect, it } from 'vitest';
import { startFakeDnsServer } from '../../support/fake-dns-server.ts';
import { dnsSource, resultOf } from './fixtures.ts';

describe('the DNS source', () => {
  it('finds delegated names to be registered', async () => {
    await using dns = await startFakeDnsServer((name) =>
      name === 'taken.aa' ? 'delegated' : 'nxdomain',
    );
    const { lookUp } = dnsSource([dns]);
    const answer = await lookUp('taken.aa');
    expect(answer).toMatchObject({
      result: { verdict: 'REGISTERED' },
      provenance: {
        endpoint: 'dns://aa/',
        delegation: 'delegated',
        evidence: { unproven: false },
        attempts: [{ source: 'dns', phase: 'exchange', code: 'delegated' }],
      },
    });
    expect(resultOf(await lookUp('free.aa'))).toBe('absent');
  });
});
