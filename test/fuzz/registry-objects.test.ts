import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/domain/registration.ts';
import {
  parseAutnumRef,
  parseEntityRef,
  parseIpRef,
  parseNameserverRef,
} from '../../src/domain/object-ref.ts';
import { matchesObject } from '../../src/registries/rdap/object-source.ts';
import { parseObject } from '../../src/registries/rdap/object-parser.ts';
import { asObject, readJson } from '../../src/registries/rdap/json.ts';
import {
  afrinicNetwork,
  apnicAutnum,
  arinEntity,
  arinNetwork,
  lacnicAutnum,
  lacnicNetwork,
  nameserverObject,
  ripeNetwork,
} from '../registries/rdap/registry-objects.ts';
import { seededRandom, type Random } from '../support/time/random.ts';
import { rounds, seed } from './fuzzing.ts';
import { mutateJson } from './mutate-json.ts';

const objects = [
  arinNetwork,
  ripeNetwork,
  afrinicNetwork,
  lacnicNetwork,
  lacnicAutnum,
  apnicAutnum,
  arinEntity,
  nameserverObject,
] as const;
const types = ['ip', 'autnum', 'entity', 'nameserver'] as const;
const refs = [
  parseIpRef('192.0.2.1'),
  parseIpRef('2001:db8:c000::/48'),
  parseAutnumRef(64496),
  parseEntityRef('EXAMPLE-ORG'),
  parseNameserverRef('ns1.xn--fo-5ja.example'),
];

/** Returns an object with one to five changes, unless it exceeds the limits of a response. */
function mutateObject(random: Random): JsonObject | undefined {
  let json: unknown = random.pick(objects);
  for (let times = 1 + random.below(5); times > 0; times -= 1) json = mutateJson(json, random);
  return asObject(readJson(Buffer.from(JSON.stringify(json))));
}

/** Checks that a network which matches a lookup contains it, also as it is shown to clients. */
function checkNetwork(object: JsonObject): void {
  const { startAddress, endAddress, cidrs } = parseObject('ip', object);
  if (!startAddress || !endAddress) throw new Error('a network matches without its addresses');
  if (cidrs.length === 0 && startAddress.includes('.'))
    throw new Error('a network matches without its blocks');
}

describe(`mutated objects (seed ${seed})`, () => {
  it(
    'are parsed without errors, and match only lookups of what they contain',
    { timeout: 600_000 },
    () => {
      let matches = 0;
      for (let round = 0; round < rounds(4_000); round += 1) {
        const object = mutateObject(seededRandom(seed + round));
        if (!object) continue;
        const errors: unknown[] = [];
        for (const type of types) {
          const parsed: unknown = parseObject(type, object, (error) => errors.push(error));
          expect(JSON.parse(JSON.stringify(parsed)) as Json).toBeTypeOf('object');
        }
        expect(errors, `FUZZ_SEED=${seed}, round ${round}`).toEqual([]);
        for (const ref of refs)
          if (matchesObject(ref, object)) {
            matches += 1;
            if (ref.type === 'ip') checkNetwork(object);
          }
      }
      expect(matches).toBeGreaterThan(0);
    },
  );
});
