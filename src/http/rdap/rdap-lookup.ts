import type { Directory, ObjectDirectory } from '../../domain/directory.ts';
import type { ObjectType } from '../../domain/object-ref.ts';
import type { OutcomeAge } from '../../domain/outcome.ts';
import type { Problem } from '../../domain/problems.ts';

/** A type of lookup (RFC 9082 section 3.1). */
export interface RdapLookup {
  /** The path segment after `/rdap/`. */
  readonly type: 'domain' | ObjectType;
  /** What follows it, e.g. `NAME`. */
  readonly argument: string;
  /** The saved operation. It has the variable `maxAge`. */
  readonly operation: string;
  /** Parses the decoded rest of a path. Throws the `Problem` of an invalid one. */
  parse(argument: string): ParsedLookup;
}

/** The directories that find the servers of objects. */
export interface Directories {
  readonly domains: Directory;
  readonly objects: ObjectDirectory;
}

/** The lookup of one object. */
export interface ParsedLookup {
  readonly variables: Readonly<Record<string, unknown>>;
  /** Reads the data of the operation. Throws the `Problem` of a lookup without an answer. */
  readAnswer(data: unknown): RdapAnswer;
  /**
   * Returns the URL of the lookup at the registry, without looking anything up; null if only the
   * gateway can reach its server. Throws the `Problem` of an object without a server.
   */
  registryUrl(directories: Directories): Promise<string | null> | string | null;
}

/** An answer of a source. */
export interface RdapAnswer {
  /** The registry's object, or why there is none: `not_found`, or `no_rdap`. */
  readonly result: { readonly object: object } | { readonly problem: Problem };
  /** The protocol in which the source was queried. */
  readonly source: string | null;
  /** URL of the lookup at the registry; null if another protocol gave the answer. */
  readonly sourceUrl: string | null;
  readonly age: OutcomeAge;
}
