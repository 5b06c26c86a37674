import { describe, expect, it } from 'vitest';
import { parseDomainName } from '../../src/domain/names/domain-name.ts';
import type { Registration } from '../../src/domain/registration.ts';
import { asText } from '../../src/registries/rdap/text.ts';
import { RecordReader } from '../../src/registries/whois/read-record.ts';
import { whoisServiceOf } from '../../src/registries/whois/whois-format.ts';
import { seededRandom } from '../support/time/random.ts';
import { recordReplies } from '../support/bodies/whois-record-replies.ts';
import { mutate, rounds, seed } from './fuzzing.ts';

describe('the registration in a mutated WHOIS reply', () => {
  it.each(recordReplies)(
    `of $name has only texts of one line (seed ${seed})`,
    ({ name, reply }) => {
      const record = whoisServiceOf(name.split('.').at(-1) ?? '')?.format.record;
      const reader = new RecordReader(record ?? { dates: [], parts: [] });
      const random = seededRandom(seed);
      const domain = parseDomainName(name);
      for (let round = rounds(300, 0.01); round > 0; round -= 1) {
        const mutated = Buffer.from(mutate(Buffer.from(reply), random)).toString();
        const registration = reader.read(domain, mutated);
        const lines = mutated.split(/[\r\n]+/).map((line) => asText(line)?.toLowerCase() ?? '');
        const others = textsOf(registration).filter(
          (text) => !lines.some((line) => line.includes(text.toLowerCase())),
        );
        expect(others, `round ${round}`).toEqual([]);
        expect(registration).toMatchObject({ contacts: [], events: [], redacted: [] });
      }
    },
  );
});

/** Returns the texts that a reply states, and the years. A-labels and the last year may be computed. */
function textsOf({ registrar, registrant, hosts, ...dates }: Registration): readonly string[] {
  const { createdAt, updatedAt, expiresAt } = dates;
  const texts = [registrar?.name, registrar?.url, registrar?.ianaId, registrant?.organization];
  const names = hosts.map(({ name }) => name).filter((name) => !name.includes('xn--'));
  const years = [createdAt, updatedAt, expiresAt].map((date) =>
    date?.slice(5, 10).match(/^(?:12-31|01-01)$/) ? undefined : date?.slice(0, 4),
  );
  return [...texts, ...names, ...years].filter((text) => text !== undefined);
}
