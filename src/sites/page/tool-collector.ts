import type { Attributes } from './html-tokens.ts';
import { cleanText, type PageBudget } from './page-text.ts';

const maxTools = 20;

/** Collects the evidence of WebMCP tools: attributes of forms, and calls in scripts. */
export class ToolCollector {
  readonly tools: string[] = [];
  readonly #budget: PageBudget;

  constructor(budget: PageBudget) {
    this.#budget = budget;
  }

  addForm(attributes: Attributes): void {
    const name = attributes.get('toolname');
    if (name !== undefined) this.#add(`form toolname=${cleanText(name).slice(0, 100)}`);
    else if (attributes.has('toolautosubmit')) this.#add('form toolautosubmit');
  }

  addScript(text: string): void {
    if (text.includes('navigator.modelContext')) this.#add('script navigator.modelContext');
  }

  #add(evidence: string): void {
    if (!this.tools.includes(evidence)) this.#budget.add(this.tools, maxTools, evidence, evidence);
  }
}
