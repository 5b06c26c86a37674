import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isSameName, parseDomainName } from '../../src/domain/names/domain-name.ts';
import type { StoredAnswer } from '../../src/domain/answer.ts';
import { classifyResponse } from '../../src/registries/rdap/classify-response.ts';
import { asObject, decodeJson, readJson } from '../../src/registries/rdap/json.ts';
import { withMemberNames } from '../../src/registries/rdap/member-names.ts';
import {
  parseRegistrarRecord,
  parseRegistration,
  readExpiry,
} from '../../src/registries/rdap/registration.ts';
import { toAnswer, toRow } from '../../src/storage/row.ts';
import { domainObject } from '../support/bodies/domain-object.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { registryBodies } from '../support/bodies/registry-bodies.ts';
import { seededRandom, type Random } from '../support/time/random.ts';
import { rdapJson, status } from '../support/bodies/replies.ts';
import { mutateJson } from './mutate-json.ts';
import { expectDocumentedResponse, mutate, rounds, seed, startFuzzedGateway } from './fuzzing.ts';

/**
 * Responses of real registries are stored outside this repository, because they contain personal
 * data. Failures are reported by seed, never by content.
 */
const corpus = join(import.meta.dirname, '../../../shared/data/corpus');
const realBodies = existsSync(corpus)
  ? readdirSync(corpus).map((file) => readFileSync(join(corpus, file)))
  : [];
const syntheticBodies = [
  domainObject('example.test'),
  domainObject('example.test', { statuses: ['free'] }),
  domainObject('example.test', {
    members: {
      redacted: [{ name: { type: 'Registrant Name' }, method: 'removal' }],
      entities: [
        {
          roles: ['registrant', 'abuse'],
          handle: 'REDACTED FOR PRIVACY',
          vcardArray: [
            'vcard',
            [
              ['fn', {}, 'text', 'Ano Nymous'],
              ['tel', { type: 'fax' }, 'uri', 'tel:+0.00'],
              ['email', {}, 'text', 'redacted@registry.test'],
              ['adr', { cc: 'FR' }, 'text', ['1 rue de Test', '75001', 'Paris', 'France']],
            ],
          ],
        },
      ],
      secureDNS: { dsData: [{ keyTag: 1, algorithm: 13, digestType: 2, digest: 'AB' }] },
    },
  }),
  {
    rdapConformance: ['rdap_level_0'],
    errorCode: 404,
    title: 'Not Found',
    description: ['No such domain.'],
  },
  ...registryBodies.map(({ body }) => body),
].map((value) => Buffer.from(JSON.stringify(value)));

/** Returns a random body with mutated bytes, or with removed, replaced or renamed members. */
function mutateBody(bodies: readonly Buffer[], random: Random): Uint8Array<ArrayBuffer> {
  const body = bodies[random.below(bodies.length)] ?? Buffer.from('{}');
  if (random.chance(0.3)) return mutate(body, random);
  let json: unknown = body.length === 0 ? {} : JSON.parse(body.toString('utf8'));
  for (let times = 1 + random.below(5); times > 0; times -= 1) json = mutateJson(json, random);
  return new Uint8Array(Buffer.from(JSON.stringify(json)));
}

/**
 * Classifies, parses and stores a body as the gateway does, and returns the verdict. Throws if a
 * result is wrong; error messages do not quote the body.
 */
function checkBody(body: Uint8Array, httpStatus: number): string {
  const name = parseDomainName('example.test');
  const json = readJson(body);
  const evidence = {
    status: httpStatus,
    mediaType: rdapJson,
    isEmpty: body.length === 0,
    isDelimited: true,
    json,
    isOwnHost: true,
    is404Trusted: true,
  };
  const { verdict, object, problem } = classifyResponse(evidence, name);
  if ((verdict === undefined) !== (problem !== undefined))
    throw new Error('expected either a verdict or a problem');
  if (verdict === 'AVAILABLE' && !provesAvailable(json, body))
    throw new Error('available without proof');
  if (
    object &&
    !isSameName(String(member(object, 'ldhname') || member(object, 'unicodename')), name)
  )
    throw new Error('the record of another name');
  // Parse rejected bodies too: the parser must not rely on the classification.
  const parsed = asObject(json);
  if (!parsed) return verdict ?? 'UNKNOWN';
  const registration = parseRegistration(parsed);
  if (readExpiry(withMemberNames(parsed)) !== registration.expiresAt)
    throw new Error('two different expiry dates');
  roundTrip(registration);
  roundTrip(registration, decodeJson(body));
  const failures: unknown[] = [];
  roundTrip(parseRegistrarRecord(parsed, (error) => failures.push(error)));
  parseRegistration(parsed, (error) => failures.push(error));
  if (failures.length > 0) throw new Error('the parser reported an error');
  return verdict ?? 'UNKNOWN';
}

/** Returns a member in any spelling that the gateway reads: other letter case, or snake case. */
function member(object: object, name: string): unknown {
  return Object.entries(object).find(
    ([key]) => key.replaceAll('_', '').toLowerCase() === name,
  )?.[1];
}

function provesAvailable(json: unknown, body: Uint8Array): boolean {
  if (body.length === 0) return true;
  const text = JSON.stringify(json);
  return /"error_?code":404/i.test(text) || /"status":.*(?:free|available)/i.test(text);
}

/** Stores a registration, or the text that it was parsed from, and reads it. */
function roundTrip(registration: ReturnType<typeof parseRegistration>, objectText?: string): void {
  const stored: StoredAnswer = {
    name: parseDomainName('example.test'),
    verdict: 'REGISTERED',
    endpoint: 'https://rdap.test/',
    checkedAt: 1,
    isComplete: true,
    registration: () => registration,
    ...(objectText !== undefined && { objectText: () => objectText }),
  };
  if (
    !isDeepStrictEqual(
      JSON.parse(JSON.stringify(toAnswer(toRow(stored)).registration?.())),
      JSON.parse(JSON.stringify(registration)),
    )
  )
    throw new Error('the stored registration differs from the parsed one');
}

describe.each([
  [
    'real registry responses',
    realBodies.filter(isJson),
    existsSync(corpus) ? '' : ` (skipped: no recorded responses)`,
    1, // they are about other names
  ],
  ['synthetic registry responses', syntheticBodies, '', 2],
] as const)(`mutated %s (seed ${seed})`, (_what, bodies, absent, leastVerdicts) => {
  it.skipIf(bodies.length === 0)(`are parsed without errors${absent}`, { timeout: 600_000 }, () => {
    const verdicts = new Set<string>();
    for (let round = 0; round < rounds(2000); round += 1) {
      const random = seededRandom(seed + round);
      const failure = failureOf(() =>
        verdicts.add(checkBody(mutateBody(bodies, random), random.pick([200, 200, 200, 404]))),
      );
      expect(failure, `FUZZ_SEED=${seed}, round ${round}`).toBeUndefined();
    }
    expect(verdicts.size).toBeGreaterThanOrEqual(leastVerdicts);
  });

  it.skipIf(bodies.length === 0)(
    `cause no internal error${absent}`,
    { timeout: 600_000 },
    async () => {
      await using registry = await startFakeRegistry();
      await using gateway = await startFuzzedGateway({ registries: { aa: registry.baseUrl } });
      for (let round = 0; round < rounds(100, 0.02); round += 1) {
        const random = seededRandom(seed + round);
        const name = `name${round}.aa`;
        const text = Buffer.from(mutateBody(bodies, random))
          .toString('latin1')
          .replaceAll(/"ldhName":\s*"[^"]*"/g, `"ldhName":"${name}"`);
        registry.on(
          name,
          status(
            random.pick([200, 200, 404]),
            { 'content-type': rdapJson },
            Buffer.from(text, 'latin1'),
          ),
        );
        const record = await gateway.fetch(`/v1/rdap?domain=${name}`);
        expect([200, 502], `FUZZ_SEED=${seed}, round ${round}`).toContain(record.status);
        await record.arrayBuffer();
        const { errors } = await gateway.graphql(
          `{ domain(name: "${name}") { status rdap { ${everything} } } }`,
        );
        for (const { extensions } of errors ?? [])
          expect(extensions.code, `FUZZ_SEED=${seed}, round ${round}`).toBe('untrusted_answer');
        expect(gateway.errorLogs.length, `FUZZ_SEED=${seed}, round ${round}`).toBe(0);
      }
      expectDocumentedResponse((await gateway.fetch('/health')).status, '');
    },
  );
});

/** Returns the start of an error's message, which is too short to reveal a body. */
function failureOf(run: () => void): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 60) : 'unknown error';
  }
}

function isJson(body: Buffer): boolean {
  try {
    return body.length === 0 || typeof JSON.parse(body.toString('utf8')) === 'object';
  } catch {
    return false;
  }
}

const contact = '{ name organization email phone }';
const everything = `id handle ldhName unicodeName nameservers hosts { name } statuses registrar { name ianaId url abuseEmail abusePhone } registrant ${contact} contacts ${contact}
  createdAt updatedAt expiresAt events { action date } dnssec { signed dsRecords { keyTag algorithm digestType digest } } redacted { name method reason } raw`;
