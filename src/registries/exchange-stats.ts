/** How the last exchanges with a host went. */
export interface ExchangeStats {
  add(ms: number, failed: boolean): void;
  readonly p50Ms: number | null;
  readonly errorRate: number | null;
}

const remembered = 100;

export function exchangeStats(): ExchangeStats {
  const exchanges: { readonly ms: number; readonly failed: boolean }[] = [];
  return {
    add(ms, failed) {
      exchanges.push({ ms, failed });
      if (exchanges.length > remembered) exchanges.shift();
    },
    get p50Ms() {
      const sorted = exchanges.map(({ ms }) => ms).toSorted((a, b) => a - b);
      return sorted[Math.floor(sorted.length / 2)] ?? null;
    },
    get errorRate() {
      return exchanges.length > 0 ? exchanges.filter(({ failed }) => failed).length / exchanges.length : null;
    },
  };
}
