import { chromium, type Browser } from 'playwright-core';
import { inject } from 'vitest';

/** A connection to a Chromium, or the reason why there is none. */
export type Started =
  { readonly browser: Browser; close(): Promise<void> } | { readonly absent: string };

declare module 'vitest' {
  interface ProvidedContext {
    /** The Chromium that the files of the project `browser` share, or the reason why it is absent. */
    readonly browser: { readonly endpoint: string } | { readonly absent: string };
  }
}

/**
 * How long to wait for an element: less than for a poll, whose message would not say what it waits
 * for.
 */
export const actionTimeoutMs = 10_000;

/** Connects to the Chromium of the test run. */
export async function startBrowser(): Promise<Started> {
  const shared = inject('browser');
  if ('absent' in shared) return shared;
  const browser = await chromium.connect(shared.endpoint);
  return { browser, close: () => browser.close() };
}
