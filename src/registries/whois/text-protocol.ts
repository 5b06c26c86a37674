import type { DomainName } from '../../domain/domain-name.ts';
import type { Problem, ProblemCode } from '../../domain/problems.ts';
import type { FailureKind } from '../../domain/answer.ts';
import type { Registration } from '../../domain/registration.ts';
import type { Verdict } from '../../domain/verdict.ts';

/** A protocol in which a line of text is the query, and a text the reply. */
export interface TextProtocol {
  readonly kind: 'das' | 'whois';
  /** A larger reply is not used. */
  readonly maxReplyBytes: number;
  /** Returns the query for a name, with its line end. */
  queryOf(name: DomainName): string;
  /**
   * Returns whether the text contains the last line of a reply. Without it, the server ends the
   * reply by closing the connection.
   */
  hasLastLine?(text: string): boolean;
  /** Classifies a complete reply. Anything that it does not recognize is UNKNOWN. */
  classify(name: DomainName, text: string): ReplyClassification;
  /** The problem of a reply that cannot be interpreted. */
  readonly unclearCode: ProblemCode;
  /**
   * How long a server is not queried after it reset a connection, if that is how its operator
   * refuses queries.
   */
  readonly disconnectBackoffSeconds?: number;
}

/** What a reply says about the queried name. */
export interface ReplyClassification {
  readonly verdict?: Verdict;
  /** What else it says, if the name is registered. */
  readonly registration?: Registration;
  /** The name cannot be registered, but it is unknown whether that is because it is registered. */
  readonly mayBeRegistered?: boolean;
  /** Present if and only if there is no verdict. */
  readonly problem?: Problem;
  readonly failure?: FailureKind;
  /** Identifies the pattern that the reply matches. */
  readonly pattern?: string;
  /** As in `Provenance`. */
  readonly replyForm?: string;
}
