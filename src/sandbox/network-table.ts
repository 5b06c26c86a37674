import table from './network-table.json' with { type: 'json' };
import type { ObjectBehaviour } from './sandbox-object.ts';

/** An IP network of the sandbox. */
export interface NetworkRow {
  readonly handle: string;
  /** In CIDR notation. */
  readonly cidr: string;
  readonly endAddress: string;
  readonly name: string;
  /** The standard that reserves the addresses. */
  readonly reservedBy: string;
  /** The handle of the entity that has the role `registrant`. */
  readonly holder: string;
  readonly parentHandle?: string;
  readonly behaviour?: ObjectBehaviour;
}

/** The networks of the sandbox. A lookup returns the smallest one that contains all addresses. */
export const networks = table as readonly NetworkRow[];
