import { describe, expect, it } from 'vitest';
import {
  compareCertificates,
  filterCertificates,
  isExpired,
  isWildcard,
  pageOfCertificates,
  summarizeCertificates,
  subdomainsOf,
  type LoggedCertificate,
} from '../../../src/sites/certificates/certificate-list.ts';
import { problemOf } from '../../support/checks/problem-of.ts';

function certificate(id: number, parts: Partial<LoggedCertificate> = {}): LoggedCertificate {
  return {
    id: String(id),
    issuer: 'CN=A',
    commonName: null,
    names: ['example.com'],
    notBefore: Math.floor(id / 2) * 1000,
    notAfter: 100_000,
    loggedAt: null,
    fingerprintSha256: null,
    ...parts,
  };
}
const ids = (items: readonly LoggedCertificate[]) => items.map(({ id }) => Number(id));
/** Pairs of them became valid at the same time. */
const many = Array.from({ length: 25 }, (_, id) => certificate(id)).toSorted(compareCertificates);

describe('pages of certificates', () => {
  it('contain each certificate once, newest first', () => {
    const seen: number[] = [];
    let cursor: string | undefined;
    do {
      const page = pageOfCertificates(many, { limit: 4, cursor });
      expect(page.total).toBe(25);
      seen.push(...ids(page.items));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => 24 - index));
  });

  it('continue at the same place if certificates appear or disappear', () => {
    const { nextCursor } = pageOfCertificates(many, { limit: 4 });
    const cursor = nextCursor ?? '';
    const changed = [certificate(99), ...many.filter(({ id }) => id !== '21')];
    expect(ids(pageOfCertificates(changed, { limit: 2, cursor }).items)).toEqual([20, 19]);
  });

  it('have no next page exactly at the end', () => {
    expect(pageOfCertificates(many, { limit: 25 }).nextCursor).toBeNull();
    expect(pageOfCertificates([], { limit: 25 })).toEqual({
      items: [],
      total: 0,
      nextCursor: null,
    });
  });

  it('can be read by offset', () => {
    expect(ids(pageOfCertificates(many, { limit: 2, offset: 3 }).items)).toEqual([21, 20]);
    expect(pageOfCertificates(many, { limit: 2, offset: 99 })).toMatchObject({
      items: [],
      nextCursor: null,
    });
  });

  it.each(['', '!', 'A', 'bm90aGluZw', 'MSAyIDM', 'é', 'A'.repeat(401), '5'])(
    'reject the invalid cursor %j',
    (cursor) => {
      const problem = problemOf(() => pageOfCertificates(many, { limit: 2, cursor }));
      expect(problem).toMatchObject({ code: 'invalid_parameter', param: 'after' });
    },
  );
});

describe('a list of certificates', () => {
  const list = [
    certificate(8, { names: ['*.example.com', 'www.example.com'], issuer: 'CN=B', loggedAt: 7000 }),
    certificate(6, { names: ['www.example.com', 'other.test'], notAfter: 4999 }),
    certificate(4, { names: ['example.com', 'a.b.example.com'], notAfter: 5000 }),
  ];
  const filter = { host: 'example.com', includeSubdomains: true, includeExpired: true, now: 5000 };

  it('can be limited to the name itself, and to certificates in time', () => {
    expect(ids(filterCertificates(list, filter))).toEqual([8, 6, 4]);
    expect(ids(filterCertificates(list, { ...filter, includeSubdomains: false }))).toEqual([4]);
    expect(ids(filterCertificates(list, { ...filter, includeExpired: false }))).toEqual([8, 4]);
  });

  it('is filtered again only when a certificate has expired since, or not yet', () => {
    const unexpired = { ...filter, includeExpired: false };
    const at = (now: number) => filterCertificates(list, { ...unexpired, now });
    expect(ids(at(5000))).toEqual([8, 4]);
    expect(at(5000)).toBe(at(5000));
    expect(ids(at(4999))).toEqual([8, 6, 4]);
    expect(ids(at(5001))).toEqual([8]);
    expect(at(5002)).toBe(at(100_000));
    expect(ids(at(100_001))).toEqual([]);
    expect(filterCertificates(list, filter)).toBe(filterCertificates(list, { ...filter, now: 9 }));
  });

  it('is read once, however often it is selected', () => {
    let reads = 0;
    const counted = list.map((each) => ({
      ...each,
      get names() {
        reads += 1;
        return each.names;
      },
    }));
    const select = () => [
      subdomainsOf({ certificates: counted }, 'example.com', { includeWildcards: true, limit: 1 }),
      summarizeCertificates(filterCertificates(counted, filter), 'example.com'),
    ];
    const first = select();
    const readsOfFirst = reads;
    expect(select()).toEqual(first);
    expect(reads).toBe(readsOfFirst);
  });

  it('is summarized', () => {
    expect(summarizeCertificates(list, 'example.com')).toEqual({
      totalFound: 3,
      uniqueSubdomains: 2,
      issuers: ['CN=A', 'CN=B'],
      earliest: 2000,
      latest: 4000,
    });
    expect(summarizeCertificates([], 'example.com')).toMatchObject({
      earliest: null,
      latest: null,
    });
    expect(list.map(isWildcard)).toEqual([true, false, false]);
    expect(list.map((item) => isExpired(item, 5000))).toEqual([false, true, false]);
  });

  it('shows the names under a host and since when they are logged, and no others', () => {
    const options = { includeWildcards: true, limit: 10 };
    expect(subdomainsOf({ certificates: list }, 'example.com', options)).toEqual({
      names: [
        { name: 'a.b.example.com', firstSeen: 2000 },
        { name: 'www.example.com', firstSeen: 3000 },
      ],
      totalFound: 2,
      wildcards: [{ name: '*.example.com', firstSeen: 7000 }],
    });
    const limited = subdomainsOf({ certificates: list }, 'example.com', {
      includeWildcards: false,
      limit: 1,
    });
    expect(limited).toMatchObject({
      names: [{ name: 'a.b.example.com' }],
      totalFound: 2,
      wildcards: [],
    });
    expect(subdomainsOf({ certificates: list }, 'ample.com', options).names).toEqual([]);
  });
});
