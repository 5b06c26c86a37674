/** Whether a name is on the list of disposable mail domains. */
export interface DisposableMail {
  readonly isListed: boolean;
  /** The entry of the list: the name itself or a parent of it; null if it is not listed. */
  readonly matchedDomain: string | null;
}

/** Domains that offer disposable mailboxes. */
export interface DisposableMailList {
  /** The domains in alphabetical order. */
  readonly domains: readonly string[];
  /** When the list was last changed, in epoch ms; null if unknown. */
  readonly updatedAt: number | null;
  /** The name of the list. */
  readonly source: string;
  /** `static_fallback`: the list of the installed package. `file`: the operator's file. */
  readonly status: 'static_fallback' | 'file';
  find(host: string): DisposableMail;
}
