import type { ObjectData, ObjectParser } from '../../domain/object-directory.ts';
import type { ObjectType } from '../../domain/object-ref.ts';
import type { JsonObject } from '../../domain/registration.ts';
import { parseAutnum } from './autnum.ts';
import { parseEntity } from './entity.ts';
import { parseIpNetwork } from './ip-network.ts';
import { parseNameserverObject } from './nameserver-object.ts';
import { parseRelatedEntities } from './related-entities.ts';

type Parsers = {
  readonly [T in ObjectType]: (
    object: JsonObject,
    onParserError: (error: unknown) => void,
  ) => ObjectData[T];
};

const parsers: Parsers = {
  ip: parseIpNetwork,
  autnum: parseAutnum,
  entity: parseEntity,
  nameserver: parseNameserverObject,
};

/** Returns a parser. It calls `onParserError` with errors, which are bugs in it. */
export function objectParser(onParserError: (error: unknown) => void): ObjectParser {
  return {
    parse: (type, object) => parsers[type](object, onParserError),
    entitiesIn: (object) => parseRelatedEntities(object, onParserError),
  };
}
