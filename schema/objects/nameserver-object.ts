import type { NameserverObject } from '../../src/domain/rdap-objects.ts';
import { dataField, listField } from './object-row.ts';
import { IpAddressType, NameserverObjectType, RegistryObjectType } from './types.ts';

NameserverObjectType.implement({
  interfaces: [RegistryObjectType],
  description: "A registry's object of a nameserver (RFC 9083 section 5.2).",
  fields: (t) => ({
    ldhName: t.string({
      nullable: true,
      description: 'Host name in A-labels and lower case, without a trailing dot.',
      resolve: dataField(({ ldhName }: NameserverObject) => ldhName),
    }),
    unicodeName: t.string({
      nullable: true,
      description: 'Host name in U-labels, as sent by the registry.',
      resolve: dataField(({ unicodeName }: NameserverObject) => unicodeName),
    }),
    ipv4: t.stringList({
      description: 'IPv4 addresses.',
      resolve: listField(({ ipv4 }: NameserverObject) => ipv4),
    }),
    ipv6: t.stringList({
      description: 'IPv6 addresses.',
      resolve: listField(({ ipv6 }: NameserverObject) => ipv6),
    }),
    addresses: t.field({
      type: [IpAddressType],
      description: 'All addresses, with their networks.',
      resolve: listField(({ ipv4, ipv6 }: NameserverObject, { maxAge }) =>
        [...ipv4, ...ipv6].map((ip) => ({ ip, maxAge })),
      ),
    }),
  }),
});
