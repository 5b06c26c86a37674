/** What the nodes share about a server. Times are in epoch ms. */
export interface MonitorState {
  /** When the server was last checked; 0 if never. */
  readonly checkedAt: number;
  /** When a check that proved the server last began or ended; 0 if never. */
  readonly provenAt: number;
  /** The last conclusive check failed. */
  readonly isFailing: boolean;
  /** AVAILABLE answers from before this time are not trusted. */
  readonly trustedSince: number;
}

/** The state of a new server, and the names that two members have in the store. */
export interface StateForm<State> {
  readonly initial: State;
  readonly provenAt: string;
  readonly isFailing: string;
}

/** Returns whether a state is the result of a later check than another one. */
export function isNewer(state: MonitorState, other: MonitorState): boolean {
  const changedAt = (each: MonitorState) => Math.max(each.checkedAt, each.provenAt);
  return changedAt(state) > changedAt(other);
}

/** Returns the form in which a state is stored. */
export function toStored<State extends MonitorState>(
  { provenAt, isFailing, ...others }: State,
  form: StateForm<State>,
): object {
  return { ...others, [form.provenAt]: provenAt, [form.isFailing]: isFailing };
}

/** Returns the state that was stored in this form. */
export function fromStored<State>(stored: object, form: StateForm<State>): State {
  const {
    [form.provenAt]: provenAt,
    [form.isFailing]: isFailing,
    ...others
  } = stored as Record<string, unknown>;
  return { ...others, provenAt, isFailing } as State;
}
