/** A nameserver of sandbox domains, as their objects contain it. */
export type Nameserver = ReturnType<typeof nameserver>;

/** Returns a nameserver with addresses from the documentation ranges (RFC 5737, RFC 3849). */
export function nameserver(number: 1 | 2) {
  return {
    objectClassName: 'nameserver',
    ldhName: `ns${number}.example-dns.test`,
    status: ['active'],
    ipAddresses: {
      v4: [number === 1 ? '192.0.2.53' : '198.51.100.53'],
      v6: [`2001:db8:${number}::53`],
    },
  };
}
