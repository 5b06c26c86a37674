import type { Notice } from './notices.ts';

/** Every response has this conformance (RFC 9083 section 4.1). */
export const baseConformance = 'rdap_level_0';

/**
 * Returns the registry's object with another notice, and with the base conformance if it has none.
 * All other members stay as they are.
 */
export function relayedObject(object: object, notice: Notice): object {
  const { rdapConformance, notices } = object as Readonly<Record<string, unknown>>;
  return {
    ...object,
    rdapConformance: withBaseConformance(rdapConformance),
    // Some registries send one notice without an array.
    notices: [...[notices ?? []].flat(), notice],
  };
}

function withBaseConformance(value: unknown): readonly unknown[] {
  const conformance = Array.isArray(value) ? value : [];
  return conformance.includes(baseConformance) ? conformance : [baseConformance, ...conformance];
}
