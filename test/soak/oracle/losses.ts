interface Round {
  /** Epoch ms. */
  readonly startedAt: number;
  /** Identifies the loss, if the server has lost its data. */
  readonly loss: string | undefined;
}

/** When the server of each TLD had lost its data, so that it reported every name as available. */
export class Losses {
  readonly #rounds = new Map<string, Round[]>();

  /** Records the state of a server in the round that begins at a time (epoch ms). */
  record(tld: string, startedAt: number, isLost: boolean): void {
    const past = this.#rounds.get(tld) ?? [];
    const loss = isLost ? (past.at(-1)?.loss ?? `${tld} ${startedAt}`) : undefined;
    this.#rounds.set(tld, [...past, { startedAt, loss }]);
  }

  /** Returns the loss at a time, or just before: the server may have answered in the round before. */
  at(tld: string, at: number): string | undefined {
    const past = this.#rounds.get(tld) ?? [];
    const index = past.findLastIndex(({ startedAt }) => startedAt <= at);
    return past[index]?.loss ?? past[index - 1]?.loss;
  }
}
