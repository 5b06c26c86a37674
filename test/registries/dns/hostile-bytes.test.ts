import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import {
  encodeResponse,
  nsRecords,
  startFakeDnsServer,
} from '../../support/servers/fake-dns-server.ts';
import { seededRandom, type Random } from '../../support/time/random.ts';
import { dnsSource, resultOf } from './fixtures.ts';

const rounds = 300;
const seed = 20261123;
/** The ID, which the queries of other rounds do not have, and the question are sent unchanged. */
const headerBytes = 12;

function randomBytes(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(256)));
}

/** Changes, cuts or extends a message at random. */
function mutated(random: Random, message: Buffer, from: number): Buffer {
  const bytes = Buffer.from(message);
  for (let count = random.below(6); count >= 0; count -= 1)
    bytes[from + random.below(bytes.length - from)] = random.below(256);
  const end = random.chance(0.3) ? random.below(bytes.length) : bytes.length;
  const extra = random.chance(0.3) ? random.below(600) : 0;
  return Buffer.concat([bytes.subarray(0, end), randomBytes(random, extra)]);
}

describe('a server that sends random bytes', () => {
  it.concurrent.each(['udp', 'tcp'] as const)(
    'over %s gets no wrong conclusion from them',
    async (over) => {
      const random = seededRandom(seed);
      await using dns = await startFakeDnsServer((name, _type, transport) => (query) => {
        const isFuzzed = name.startsWith('fuzz');
        const flags = 1 << 10;
        const soa = { mname: 'ns.aa', rname: 'hostmaster.aa' };
        const negative = encodeResponse(query, {
          flags,
          rcode: 3,
          authorities: [{ type: 'SOA', name: query.zone, data: soa }],
        });
        if (!isFuzzed) return query.sendBytes(negative);
        if (transport !== over) return query.send({ flags: 1 << 9 });
        // The owner has the same length, so that no mutation of a few bytes makes it the name.
        const other = encodeResponse(query, {
          authorities: nsRecords(name.replace('fuzz', 'near')),
        });
        const bytes = random.pick([
          () => randomBytes(random, random.below(1500)),
          () => mutated(random, other, 0),
          () => mutated(random, other, headerBytes),
          () => mutated(random, negative, 2),
        ])();
        query.sendBytes(bytes);
        // The connection or the datagram that follows ends the wait for a valid response.
        if (transport === 'tcp') query.connection?.end();
        else query.send({ rcode: 5 });
      });
      const { lookUp, source } = dnsSource([dns]);
      const names = Array.from({ length: rounds }, (_, index) => `fuzz${index}.aa`);
      const responseDeadline = systemClock.now() + 60_000;
      const answers = await Promise.all(names.map((name) => lookUp(name, { responseDeadline })));
      const results = new Set(answers.map(resultOf));
      expect(results).not.toContain('REGISTERED');
      expect(results).toContain('registry_error');
      expect(resultOf(await lookUp('other.aa'))).toBe('absent');
      expect(source.isReachable).toBe(true);
    },
  );
});

describe('a server that sends a very large message', () => {
  it('is not believed, because decoding the message may take seconds', async () => {
    const padding = { type: 'TXT', name: 'aa', data: 'x'.repeat(250) } as const;
    await using dns = await startFakeDnsServer((name, _type, transport) => {
      if (!name.startsWith('taken')) return 'nxdomain';
      if (transport === 'udp') return 'truncated';
      const length = name.startsWith('taken-large') ? 200 : 2;
      const additionals = Array.from({ length }, () => padding);
      return (query) => query.send({ authorities: nsRecords(name), additionals });
    });
    const { lookUp } = dnsSource([dns]);
    expect(resultOf(await lookUp('taken.aa'))).toBe('REGISTERED');
    expect(resultOf(await lookUp('taken-large.aa'))).toBe('registry_error');
  });
});
