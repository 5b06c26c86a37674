import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Json } from './gateway.ts';

/** GraphiQL as somebody in front of it uses it. */
export interface GraphiqlPage {
  readonly page: Page;
  tabs(): Promise<readonly string[]>;
  openTab(title: string): Promise<void>;
  /** Puts an operation into the editor, in place of what is there. */
  write(operation: { name: string; text: string }): Promise<void>;
  run(): Promise<void>;
  stop(): Promise<void>;
  /** Every answer that was shown since `run`, in order. */
  answers(): Promise<readonly Json[]>;
}

/** Opens GraphiQL in a profile of its own. When `use` is done, checks that the page asked nobody but the gateway, and that nothing failed in it. */
export async function withGraphiql(
  browser: Browser,
  gatewayUrl: string,
  use: (graphiql: GraphiqlPage) => Promise<void>,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<void> {
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    const asked = new Set<string>();
    const complaints: string[] = [];
    page.on('request', (request) => asked.add(new URL(request.url()).origin));
    page.on(
      'console',
      (message) => void (message.type() === 'error' && complaints.push(message.text())),
    );
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${gatewayUrl}/graphql`);
    await page.locator('.graphiql-execute-button').waitFor();
    await use(graphiqlOn(page));
    expect(complaints).toEqual([]);
    expect(Array.from(asked)).toEqual([gatewayUrl]);
  } finally {
    await context.close();
  }
}

function graphiqlOn(page: Page): GraphiqlPage {
  // GraphiQL finds out which operation is in the editor a moment after it changed.
  const knowsOperation = (name: string) =>
    expect
      .poll(
        () =>
          page.evaluate(
            `document.querySelector('.graphiql-query-editor .CodeMirror').CodeMirror.operationName`,
          ),
        waitOptions,
      )
      .toBe(name);
  return {
    page,
    tabs: () => page.locator('.graphiql-tab-button').allTextContents(),
    async openTab(title) {
      await page.locator('.graphiql-tab-button', { hasText: title }).click();
      await knowsOperation(title);
    },
    async write({ name, text }) {
      await page.locator('.graphiql-query-editor .CodeMirror').click();
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.insertText(text);
      await knowsOperation(name);
    },
    async run() {
      await page.evaluate(keepAnswers);
      await page.getByRole('button', { name: 'Execute query' }).click();
    },
    stop: () => page.getByRole('button', { name: 'Stop query' }).click(),
    answers: async () =>
      (await page.evaluate<string[]>('window.shown')).map((text) => JSON.parse(text)),
  };
}

/** A machine may be busy with other tests: what is promised is that a thing happens, not how soon. */
export const waitOptions = { timeout: 15_000 };

/** In the page: the answer is shown in an editor, whose every change is written down. */
const keepAnswers = `
  window.shown = [];
  window.resultEditor ??= document.querySelector('.result-window .CodeMirror').CodeMirror;
  resultEditor.off('change', window.keepAnswer);
  resultEditor.on('change', window.keepAnswer = () => resultEditor.getValue() && shown.push(resultEditor.getValue()));
`;
