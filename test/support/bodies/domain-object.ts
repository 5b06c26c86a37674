/** Overrides for a registry's domain object. */
export interface DomainOverrides {
  readonly ldhName?: string;
  readonly statuses?: readonly string[];
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly expiresAt?: string;
  readonly nameservers?: readonly string[];
  /** Merged over the object; a member that is `undefined` is omitted. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** Returns a small RFC 9083 domain object, registered in 2001 and expiring in 2099. */
export function domainObject(
  name: string,
  overrides: DomainOverrides = {},
): Record<string, unknown> {
  const nameservers = overrides.nameservers ?? ['ns1.example-dns.test', 'ns2.example-dns.test'];
  return {
    rdapConformance: ['rdap_level_0'],
    objectClassName: 'domain',
    handle: `FAKE-${name}`,
    ldhName: overrides.ldhName ?? name,
    status: overrides.statuses ?? ['active'],
    events: [
      { eventAction: 'registration', eventDate: overrides.createdAt ?? '2001-02-03T04:05:06Z' },
      { eventAction: 'last changed', eventDate: overrides.updatedAt ?? '2024-05-06T07:08:09Z' },
      { eventAction: 'expiration', eventDate: overrides.expiresAt ?? '2099-02-03T04:05:06Z' },
    ],
    nameservers: nameservers.map((ldhName) => ({ objectClassName: 'nameserver', ldhName })),
    secureDNS: { delegationSigned: false },
    entities: [registrar],
    ...overrides.members,
  };
}

const registrar = {
  objectClassName: 'entity',
  handle: '9999',
  roles: ['registrar'],
  publicIds: [{ type: 'IANA Registrar ID', identifier: '9999' }],
  vcardArray: ['vcard', [...vcardLine('version', '4.0'), ...vcardLine('fn', 'Fake Registrar')]],
  entities: [
    {
      objectClassName: 'entity',
      roles: ['abuse'],
      vcardArray: [
        'vcard',
        [
          ...vcardLine('version', '4.0'),
          ...vcardLine('fn', 'Abuse Desk'),
          ...vcardLine('email', 'abuse@registrar.test'),
        ],
      ],
    },
  ],
};

function vcardLine(property: string, value: string): [[string, object, string, string]] {
  return [[property, {}, 'text', value]];
}
