import type { NameserverObject } from '../../src/domain/rdap-objects.ts';
import { fieldOf, listField, listFieldOf } from './object-row.ts';
import { IpAddressType, NameserverObjectType, RegistryObjectType } from './types.ts';

const field = fieldOf<NameserverObject>();
const list = listFieldOf<NameserverObject>();

NameserverObjectType.implement({
  interfaces: [RegistryObjectType],
  description: "A registry's object of a nameserver (RFC 9083 section 5.2).",
  fields: (t) => ({
    ldhName: t.string(
      field('ldhName', 'Host name in A-labels and lower case, without a trailing dot.'),
    ),
    unicodeName: t.string(field('unicodeName', 'Host name in U-labels, as sent by the registry.')),
    ipv4: t.stringList(list('ipv4', 'IPv4 addresses.')),
    ipv6: t.stringList(list('ipv6', 'IPv6 addresses.')),
    addresses: t.field({
      type: [IpAddressType],
      ...listField(
        'All addresses, with their networks.',
        ({ ipv4, ipv6 }: NameserverObject, { maxAge }) =>
          [...ipv4, ...ipv6].map((ip) => ({ ip, maxAge })),
      ),
    }),
  }),
});
