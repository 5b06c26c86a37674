import type { IpNetwork } from '../../src/domain/rdap-objects.ts';
import { networkOf } from './lookups.ts';
import { fieldOf, listFieldOf } from './object-row.ts';
import { IpAddressType, IpNetworkType, RegistryObjectType } from './types.ts';

const field = fieldOf<IpNetwork>();
const list = listFieldOf<IpNetwork>();

IpNetworkType.implement({
  interfaces: [RegistryObjectType],
  description: 'A network of IP addresses with one holder (RFC 9083 section 5.4).',
  fields: (t) => ({
    startAddress: t.string(field('startAddress', 'First address, in canonical form (RFC 5952).')),
    endAddress: t.string(field('endAddress', 'Last address, in canonical form.')),
    cidr: t.stringList(
      list('cidrs', 'The network in CIDR notation: one block, or several that cover it.'),
    ),
    version: t.string(field('ipVersion', 'Version of the Internet Protocol: `v4` or `v6`.')),
    name: t.string(field('name', "The holder's name for the network.")),
    type: t.string(field('type', "The registry's kind of allocation, such as `ALLOCATED PA`.")),
    country: t.string(field('country', 'ISO 3166-1 alpha-2 code of the country, in upper case.')),
    originAutnums: t.floatList(
      list(
        'originAutnums',
        'Numbers of the autonomous systems that announce the network, if the registry lists them (ARIN).',
      ),
    ),
    parentHandle: t.string(
      field('parentHandle', 'Identifier of the network that contains this one.'),
    ),
  }),
});

IpAddressType.implement({
  description: 'An IP address and the network that contains it.',
  fields: (t) => ({
    ip: t.exposeString('ip', { description: 'The address, as the registry lists it.' }),
    network: t.field({
      type: IpNetworkType,
      nullable: true,
      description:
        'The smallest registered network that contains the address. Selecting its fields triggers a lookup, at the price of a ' +
        'record. Null if this is not an address.',
      resolve: (address, _args, { lookup }) => networkOf(address, lookup),
    }),
  }),
});
