import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished, type TestContext } from 'vitest';
import type { Started } from './browser.ts';
import type { Json } from '../gateways/gateway.ts';

/** Controls GraphiQL like a user. */
export interface GraphiqlPage {
  readonly page: Page;
  tabs(): Promise<readonly string[]>;
  openTab(title: string): Promise<void>;
  /** Replaces the operation in the editor. */
  write(operation: { name: string; text: string }): Promise<void>;
  run(): Promise<void>;
  stop(): Promise<void>;
  /** Returns every response shown since `run`, in order. */
  answers(): Promise<readonly Json[]>;
}

/**
 * Opens GraphiQL in a browser that has stored nothing of it. After the test, checks that the page
 * sent requests only to the gateway and that no error occurred.
 */
export async function openGraphiql(
  started: Started,
  context: TestContext,
  gatewayUrl: string,
  options: BrowserContextOptions = {},
): Promise<GraphiqlPage> {
  if ('absent' in started) return context.skip(started.absent);
  const { page, close } = await started.pages.open(options);
  const requestedOrigins = new Set<string>();
  const errors: string[] = [];
  page.on('request', (request) => requestedOrigins.add(new URL(request.url()).origin));
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
  page.on('pageerror', (error) => errors.push(String(error)));
  onTestFinished(async () => {
    const hasFailed = context.task.result?.state === 'fail';
    const found = { errors: [...errors], origins: [...requestedOrigins] };
    // GraphiQL stores its tabs, which must not be there for the next test.
    if (!hasFailed) {
      await page.goto(`${gatewayUrl}/health`);
      await page.evaluate('localStorage.clear(), sessionStorage.clear()');
    }
    await close(hasFailed);
    if (!hasFailed) expect(found).toEqual({ errors: [], origins: [gatewayUrl] });
  });
  await page.goto(`${gatewayUrl}/graphql`);
  // The first tab runs on load.
  await page.locator('.result-window', { hasText: '"' }).waitFor();
  await page.getByRole('button', { name: 'Execute query' }).waitFor();
  return graphiqlOn(page);
}

function graphiqlOn(page: Page): GraphiqlPage {
  // GraphiQL detects a changed operation with a delay.
  const waitForOperation = (name: string) =>
    expect
      .poll(() =>
        page.evaluate(
          `document.querySelector('.graphiql-query-editor .CodeMirror').CodeMirror.operationName`,
        ),
      )
      .toBe(name);
  return {
    page,
    tabs: () => page.locator('.graphiql-tab-button').allTextContents(),
    async openTab(title) {
      await page.locator('.graphiql-tab-button', { hasText: title }).click();
      await waitForOperation(title);
    },
    async write({ name, text }) {
      await page.locator('.graphiql-query-editor .CodeMirror').click();
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.insertText(text);
      await waitForOperation(name);
    },
    async run() {
      await page.evaluate(recordAnswers);
      await page.getByRole('button', { name: 'Execute query' }).click();
    },
    stop: () => page.getByRole('button', { name: 'Stop query' }).click(),
    answers: async () =>
      (await page.evaluate<string[]>('window.shown')).map((text) => JSON.parse(text)),
  };
}

/** Runs in the page. The response is shown in an editor, whose every change is recorded. */
const recordAnswers = `
  window.shown = [];
  window.resultEditor ??= document.querySelector('.result-window .CodeMirror').CodeMirror;
  resultEditor.off('change', window.keepAnswer);
  resultEditor.on('change', window.keepAnswer = () => resultEditor.getValue() && shown.push(resultEditor.getValue()));
`;
