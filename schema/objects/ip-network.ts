import type { IpNetwork } from '../../src/domain/rdap-objects.ts';
import { networkOf } from './lookups.ts';
import { dataField, listField } from './object-row.ts';
import { IpAddressType, IpNetworkType, RegistryObjectType } from './types.ts';

const field = <R>(read: (network: IpNetwork) => R | null | undefined) => dataField(read);

IpNetworkType.implement({
  interfaces: [RegistryObjectType],
  description: 'A network of IP addresses with one holder (RFC 9083 section 5.4).',
  fields: (t) => ({
    startAddress: t.string({
      nullable: true,
      description: 'First address, in canonical form (RFC 5952).',
      resolve: field(({ startAddress }) => startAddress),
    }),
    endAddress: t.string({
      nullable: true,
      description: 'Last address, in canonical form.',
      resolve: field(({ endAddress }) => endAddress),
    }),
    cidr: t.stringList({
      description: 'The network in CIDR notation: one block, or several that cover it.',
      resolve: listField(({ cidrs }: IpNetwork) => cidrs),
    }),
    version: t.string({
      nullable: true,
      description: 'Version of the Internet Protocol: `v4` or `v6`.',
      resolve: field(({ ipVersion }) => ipVersion),
    }),
    name: t.string({
      nullable: true,
      description: "The holder's name for the network.",
      resolve: field(({ name }) => name),
    }),
    type: t.string({
      nullable: true,
      description: "The registry's kind of allocation, such as `ALLOCATED PA`.",
      resolve: field(({ type }) => type),
    }),
    country: t.string({
      nullable: true,
      description: 'ISO 3166-1 alpha-2 code of the country, in upper case.',
      resolve: field(({ country }) => country),
    }),
    originAutnums: t.floatList({
      description:
        'Numbers of the autonomous systems that announce the network, if the registry lists them (ARIN).',
      resolve: listField(({ originAutnums }: IpNetwork) => originAutnums),
    }),
    parentHandle: t.string({
      nullable: true,
      description: 'Identifier of the network that contains this one.',
      resolve: field(({ parentHandle }) => parentHandle),
    }),
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
