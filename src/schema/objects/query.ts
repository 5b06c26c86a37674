import { parseSuffix } from '../../domain/domain-name.ts';
import {
  parseAutnumRef,
  parseEntityRef,
  parseIpRef,
  parseNameserverRef,
} from '../../domain/object-ref.ts';
import { validateMaxAge } from '../../domain/parsed-name.ts';
import { builder } from '../builder.ts';
import {
  lookedUp,
  AutnumType,
  EntityType,
  IpNetworkType,
  NameserverObjectType,
} from './object-row.ts';

const maxAgeDescription =
  'Maximum age of cached answers, in seconds, also of what is looked up from this object; 0 always queries the registry. By ' +
  'default, objects stay fresh for a day, and "not found" for 5 minutes.';

builder.queryFields((t) => ({
  ip: t.field({
    type: IpNetworkType,
    nullable: true,
    args: {
      address: t.arg.string({ required: true }),
      maxAge: t.arg.int({ description: maxAgeDescription }),
    },
    resolve: (_root, { address, maxAge }, { lookup }) =>
      lookedUp(lookup.objects.row(parseIpRef(address), validateMaxAge(maxAge))),
  }),
  autnum: t.field({
    type: AutnumType,
    nullable: true,
    args: {
      // A number may exceed the range of Int.
      number: t.arg.id({ required: true }),
      maxAge: t.arg.int({ description: maxAgeDescription }),
    },
    resolve: (_root, { number, maxAge }, { lookup }) =>
      lookedUp(lookup.objects.row(parseAutnumRef(number), validateMaxAge(maxAge))),
  }),
  entity: t.field({
    type: EntityType,
    nullable: true,
    args: {
      handle: t.arg.string({ required: true }),
      tld: t.arg.string(),
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
    args: {
      name: t.arg.string({ required: true }),
      maxAge: t.arg.int({ description: maxAgeDescription }),
    },
    resolve: (_root, { name, maxAge }, { lookup }) =>
      lookedUp(lookup.objects.row(parseNameserverRef(name), validateMaxAge(maxAge))),
  }),
}));
