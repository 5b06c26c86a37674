const maxRequests = 100;

/** Computes latency and error rate over the latest requests to a host. */
export class HostStats {
  readonly #requests: { readonly ms: number; readonly failed: boolean }[] = [];

  add(ms: number, failed: boolean): void {
    this.#requests.push({ ms, failed });
    if (this.#requests.length > maxRequests) this.#requests.shift();
  }

  get p50Ms(): number | null {
    const sorted = this.#requests.map(({ ms }) => ms).toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? null;
  }

  get errorRate(): number | null {
    return this.#requests.length > 0
      ? this.#requests.filter(({ failed }) => failed).length / this.#requests.length
      : null;
  }
}
