import { isSameName, type DomainName } from '../../domain/names/domain-name.ts';
import type { Json, JsonObject, Variant, VariantName } from '../../domain/registration.ts';
import { listOf, objectsOf, omitUndefined } from './json.ts';
import { asHostName, asLowerCaseText, asText } from './text.ts';

/** Reads the variants of a domain (RFC 9083 section 5.3). */
export function readVariants(json: Json | undefined): readonly Variant[] {
  return objectsOf(json).map((variant) =>
    omitUndefined<Variant>({
      relation: relationsOf(variant),
      idnTable: asText(variant['idnTable']),
      variantNames: namesOf(variant),
    }),
  );
}

/**
 * Returns what a domain object says about a name that is a variant of its own: REGISTERED if the
 * registry has registered both, and RESERVED if nobody else can register it. Undefined for other
 * names, and for a variant that anybody can register.
 */
export function variantVerdict(
  object: JsonObject,
  name: DomainName,
): 'REGISTERED' | 'RESERVED' | undefined {
  const relations = objectsOf(object['variants'])
    .filter((variant) =>
      namesOf(variant).some(({ ldhName, unicodeName }) =>
        [ldhName, unicodeName].some((each) => each !== undefined && isSameName(each, name)),
      ),
    )
    .map(relationsOf);
  if (relations.flat().some((relation) => relation === 'registered' || relation === 'conjoined'))
    return 'REGISTERED';
  return relations.some((each) => !each.includes('open registration')) ? 'RESERVED' : undefined;
}

function relationsOf(variant: JsonObject): readonly string[] {
  return listOf(variant['relation']).flatMap((relation) => asLowerCaseText(relation) ?? []);
}

function namesOf(variant: JsonObject): readonly VariantName[] {
  return objectsOf(variant['variantNames']).map((name) =>
    omitUndefined<VariantName>({
      ldhName: asHostName(name['ldhName']),
      unicodeName: asHostName(name['unicodeName']),
    }),
  );
}
