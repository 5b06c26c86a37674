import { describe, expect, it } from 'vitest';
import { fastClock } from '../support/time/fast-clock.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';

const gateway = await forThisFile(startGateway, { clock: fastClock() });

const rowOf = async (domain: string): Promise<Json> =>
  (await gateway.get(`/v1/status?domain=${domain}`)).results[0];
const recordOf = async (domain: string): Promise<Json> =>
  (
    await gateway.graphql(
      `{ domain(name: "${domain}") { status available reason source problem { code } rdap { handle }
         evidence { sources { source answer } } } }`,
    )
  ).data.domain;

describe('dns-only.test, which has no source but the DNS', () => {
  it('returns delegated names as registered', async () => {
    expect(await rowOf('taken.dns-only.test')).toMatchObject({
      status: 'registered',
      available: false,
      source: 'dns',
      confidence: 'authoritative',
    });
  });

  it.each(['free', 'reserved', 'redemption', 'pending'])(
    'never returns a name as available: %s',
    async (label) => {
      expect(await rowOf(`${label}.dns-only.test`)).toMatchObject({
        status: 'unknown',
        available: null,
        reason: 'not_delegated',
        confidence: null,
      });
    },
  );

  it('fails for down and hang', async () => {
    expect(await rowOf('down.dns-only.test')).toMatchObject({ reason: 'registry_error' });
    expect(await rowOf('hang.dns-only.test')).toMatchObject({ reason: 'registry_timeout' });
  });

  it('has no records', async () => {
    expect(await recordOf('taken.dns-only.test')).toEqual({
      status: 'REGISTERED',
      available: false,
      reason: null,
      source: 'dns',
      problem: { code: 'no_rdap' },
      rdap: null,
      evidence: { sources: [{ source: 'dns', answer: 'delegated' }] },
    });
  });
});

describe('das-only.test, which has an availability service', () => {
  it.each([
    ['taken', 'registered', false],
    ['reserved', 'reserved', false],
    ['redemption', 'redemption', false],
    ['pending', 'pending_delete', false],
    ['free', 'available', true],
  ])('returns the verdict of the service for %s: %s', async (label, status, available) => {
    expect(await rowOf(`${label}.das-only.test`)).toMatchObject({
      status,
      available,
      source: 'das',
      rdap_endpoint: null,
    });
  });

  it('has no records', async () => {
    expect(await recordOf('taken.das-only.test')).toMatchObject({
      status: 'REGISTERED',
      reason: null,
      source: 'das',
      problem: { code: 'no_rdap' },
      rdap: null,
    });
  });

  it('confirms available names in the DNS', async () => {
    expect(await recordOf('free-name.das-only.test')).toMatchObject({
      available: true,
      evidence: {
        sources: [
          { source: 'das', answer: 'available' },
          { source: 'dns', answer: 'absent' },
        ],
      },
    });
  });
});

describe('whois-only.test, which has a WHOIS server', () => {
  it.each([
    ['taken', { status: 'registered', available: false, confidence: 'authoritative' }],
    ['free', { status: 'available', available: true, confidence: 'heuristic' }],
    ['unclear', { status: 'unknown', available: null, reason: 'whois_unclear' }],
    ['busy', { status: 'unknown', available: null, reason: 'registry_busy' }],
  ])('returns what the server states about %s', async (label, row) => {
    expect(await rowOf(`${label}.whois-only.test`)).toMatchObject({ source: 'whois', ...row });
  });

  it('has registrations with what the server prints, except about persons', async () => {
    const response = await gateway.fetch('/v1/rdap?domain=taken.whois-only.test');
    const text = await response.text();
    expect(JSON.parse(text).registration).toMatchObject({
      source: 'whois',
      confidence: 'heuristic',
      registrar: { name: 'SANDBOX-REGISTRAR' },
      created_at: '2001-02-03T04:05:06.000Z',
      expires_at: '2099-02-03T04:05:06.000Z',
      registrant: null,
      contacts: [],
    });
    expect(text).not.toMatch(/private|someone/i);
  });

  it('verifies available names with controls and in the DNS', async () => {
    const { data } = await gateway.graphql(
      '{ domain(name: "free-too.whois-only.test") { available evidence { sources { source answer pattern controlsPassedAt } } } }',
    );
    expect(data.domain.evidence.sources).toEqual([
      {
        source: 'whois',
        answer: 'available',
        pattern: 'available-1',
        controlsPassedAt: expect.any(String),
      },
      { source: 'dns', answer: 'absent', pattern: null, controlsPassedAt: null },
    ]);
  });
});

describe('contradicted.test, whose RDAP server finds no name', () => {
  it('returns a delegated name as registered if a delegation is sufficient', async () => {
    expect(await rowOf('taken.contradicted.test&confirm=available')).toMatchObject({
      status: 'registered',
      source: 'dns',
    });
  });

  it('returns a delegated name as unknown if the registry must confirm it', async () => {
    expect(await rowOf('taken-too.contradicted.test')).toMatchObject({
      available: null,
      reason: 'contradicted',
    });
    expect(await recordOf('taken-too.contradicted.test')).toEqual({
      status: 'UNKNOWN',
      available: null,
      reason: 'contradicted',
      source: 'rdap',
      problem: { code: 'contradicted' },
      rdap: null,
      evidence: {
        sources: [
          { source: 'rdap', answer: 'available' },
          { source: 'dns', answer: 'delegated' },
        ],
      },
    });
    expect((await gateway.fetch('/v1/rdap?domain=taken-too.contradicted.test')).status).toBe(502);
  });

  it('returns a name that is not delegated as available', async () => {
    expect(await recordOf('free.contradicted.test')).toMatchObject({
      available: true,
      source: 'rdap',
      evidence: {
        sources: [
          { source: 'rdap', answer: 'available' },
          { source: 'dns', answer: 'absent' },
        ],
      },
    });
  });

  it.each([
    ['down', 'registry_error'],
    ['hang', 'registry_timeout'],
  ])('says in the evidence that the DNS did not answer: %s', async (label, answer) => {
    expect(await recordOf(`${label}.contradicted.test`)).toMatchObject({
      available: true,
      evidence: {
        sources: [
          { source: 'rdap', answer: 'available' },
          { source: 'dns', answer },
        ],
      },
    });
  });
});

it.each(['dns-only.test', 'das-only.test', 'whois-only.test', 'contradicted.test'])(
  'rejects the suffix %s itself, and names one level too deep',
  async (suffix) => {
    expect(await rowOf(suffix)).toMatchObject({ status: 'invalid' });
    expect(await rowOf(`www.taken.${suffix}`)).toMatchObject({ status: 'invalid' });
  },
);
