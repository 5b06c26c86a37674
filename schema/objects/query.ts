import { parseSuffix } from '../../src/domain/domain-name.ts';
import {
  parseAutnumRef,
  parseEntityRef,
  parseIpRef,
  parseNameserverRef,
} from '../../src/domain/parse-object-ref.ts';
import { validateMaxAge } from '../../src/domain/parsed-name.ts';
import { builder } from '../builder.ts';
import { lookedUp } from './object-row.ts';
import { AutnumType, EntityType, IpNetworkType, NameserverObjectType } from './types.ts';

const maxAgeDescription =
  'Maximum age of cached answers, in seconds, also of what is looked up from this object; 0 always queries the registry. By ' +
  'default, objects stay fresh for a day, and "not found" for 5 minutes.';

builder.queryFields((t) => ({
  ip: t.field({
    type: IpNetworkType,
    nullable: true,
    description:
      'Looks up the smallest registered network that contains an IP address or a network, at its regional registry.',
    args: {
      address: t.arg.string({
        required: true,
        description: 'An IPv4 or IPv6 address, or a network in CIDR notation.',
      }),
      maxAge: t.arg.int({ description: maxAgeDescription }),
    },
    resolve: (_root, { address, maxAge }, { lookup }) =>
      lookedUp(lookup.objects.row(parseIpRef(address), validateMaxAge(maxAge))),
  }),
  autnum: t.field({
    type: AutnumType,
    nullable: true,
    description: 'Looks up the holder of an autonomous system number at its regional registry.',
    args: {
      // A number may exceed the range of Int.
      number: t.arg.id({
        required: true,
        description: 'A number from 0 to 4294967295, such as `64496` or `"AS64496"`.',
      }),
      maxAge: t.arg.int({ description: maxAgeDescription }),
    },
    resolve: (_root, { number, maxAge }, { lookup }) =>
      lookedUp(lookup.objects.row(parseAutnumRef(number), validateMaxAge(maxAge))),
  }),
}));

builder.queryFields((t) => ({
  entity: t.field({
    type: EntityType,
    nullable: true,
    description:
      'Looks up a person or an organization by its handle. Handles have a meaning at one registry only.',
    args: {
      handle: t.arg.string({
        required: true,
        description:
          'A handle. Without `tld`, it must end with the tag of its registry (RFC 8521), such as `ORG-EX1-RIPE`.',
      }),
      tld: t.arg.string({ description: 'The TLD whose registry has the handle, such as `com`.' }),
      maxAge: t.arg.int({ description: maxAgeDescription }),
    },
    resolve: (_root, { handle, tld, maxAge }, { lookup, objects }) => {
      const server = tld == null ? undefined : objects.serverOfTld(parseSuffix(tld));
      const failure = server && 'problem' in server ? server.problem : undefined;
      const ref = parseEntityRef(
        handle,
        server && 'baseUrl' in server ? server.baseUrl : undefined,
      );
      const row = lookup.objects.row(ref, validateMaxAge(maxAge));
      return lookedUp(failure ? lookup.objects.failedRow(ref.type, failure) : row);
    },
  }),
  nameserver: t.field({
    type: NameserverObjectType,
    nullable: true,
    description: 'Looks up a nameserver at the registry of its TLD.',
    args: {
      name: t.arg.string({
        required: true,
        description: 'A host name. U-labels and any letter case are accepted.',
      }),
      maxAge: t.arg.int({ description: maxAgeDescription }),
    },
    resolve: (_root, { name, maxAge }, { lookup }) =>
      lookedUp(lookup.objects.row(parseNameserverRef(name), validateMaxAge(maxAge))),
  }),
}));
