import type { Verdict } from '../../domain/verdict.ts';
import type { LineTemplate } from './line-pattern.ts';

/** Lines that must all be in a reply. */
export type Lines = readonly [LineTemplate, ...LineTemplate[]];

/** How the replies of a server are recognized. */
export interface WhoisFormat {
  /** The query without its line end; `{name}` by default. */
  readonly query?: string;
  /** A reply about an unregistered name has all lines of one alternative. */
  readonly available: readonly [Lines, ...Lines[]];
  /** A reply about a registered name has all lines of one alternative. One of them has `{name}`. */
  readonly registered: readonly [Lines, ...Lines[]];
  /** Lines that state another verdict, or that there is none. */
  readonly states?: readonly State[];
  /** Lines of refusals that other servers do not send. */
  readonly refusals?: readonly LineTemplate[];
}

export interface State {
  readonly line: LineTemplate;
  readonly verdict: Exclude<Verdict, 'AVAILABLE'> | 'UNKNOWN';
}
