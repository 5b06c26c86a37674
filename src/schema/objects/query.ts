import type { ObjectType } from '../../domain/object-ref.ts';
import { validateMaxAge } from '../../domain/names/parsed-name.ts';
import { Problem } from '../../domain/problems.ts';
import type { Context } from '../../execution/context.ts';
import { objectFields } from '../../lookup/object-fields.ts';
import { builder } from '../builder.ts';
import {
  lookedUp,
  AutnumType,
  EntityType,
  IpNetworkType,
  NameserverObjectType,
  reverseZoneOf,
  ReverseZoneType,
} from './object-row.ts';

const maxAgeDescription =
  'Maximum age of cached answers, in seconds, also of what is looked up from this object; 0 always queries the registry. By ' +
  'default, objects stay fresh for a day, and "not found" for 5 minutes.';

interface ObjectArguments extends Readonly<Record<string, unknown>> {
  readonly maxAge?: number | null | undefined;
}

/** Returns a resolver of a field that looks up an object. */
const lookUp =
  <T extends ObjectType>(type: T) =>
  (_root: unknown, args: ObjectArguments, { lookup, objects }: Context) => {
    const ref = objectFields[type](args, objects);
    const maxAge = validateMaxAge(args.maxAge);

    return lookedUp<T>(
      ref instanceof Problem
        ? lookup.objects.failedRow(type, ref)
        : lookup.objects.row<T>(ref, maxAge),
    );
  };

builder.queryFields((t) => {
  const maxAge = t.arg.int({ description: maxAgeDescription });
  const text = t.arg.string({ required: true });

  return {
    ip: t.field({
      nullable: true,
      type: IpNetworkType,
      args: { address: text, maxAge },
      resolve: lookUp('ip'),
    }),
    autnum: t.field({
      nullable: true,
      type: AutnumType,
      // A number may exceed the range of Int.
      args: { number: t.arg.id({ required: true }), maxAge },
      resolve: lookUp('autnum'),
    }),
    entity: t.field({
      nullable: true,
      type: EntityType,
      args: { handle: text, tld: t.arg.string(), maxAge },
      resolve: lookUp('entity'),
    }),
    nameserver: t.field({
      nullable: true,
      type: NameserverObjectType,
      args: { name: text, maxAge },
      resolve: lookUp('nameserver'),
    }),
    reverseZone: t.field({
      nullable: true,
      type: ReverseZoneType,
      args: { name: text, maxAge },
      resolve: (_root, args, { lookup }) =>
        reverseZoneOf(args.name, validateMaxAge(args.maxAge), lookup),
    }),
  };
});
