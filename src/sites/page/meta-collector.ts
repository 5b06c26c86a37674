import type { MetaElement } from './page-visit.ts';
import type { Attributes } from './html-tokens.ts';
import { cleanText, PageBudget } from './page-text.ts';

const maxMetas = 200;
const maxRobotsLength = 10_000;

/** A key of contact data. The app links of Windows Phone have `windows_phone` in their keys. */
const contactKey =
  /(?:^|[:.-]|(?<!windows)_)(?:(?:phone|telephone)(?:number)?|fax(?:number)?|e-?mail(?:address)?|reply-to)(?:$|[:._-])/;

/** Collects the `<meta>` of a page, without contact data. */
export class MetaCollector {
  readonly metas: MetaElement[] = [];
  readonly #budget: PageBudget;
  /** A page must not be able to hide `noindex` behind other elements. */
  readonly #robotsBudget = new PageBudget(maxRobotsLength);

  constructor(budget: PageBudget) {
    this.#budget = budget;
  }

  /** Adds an entry for each name: `<meta name="image" property="og:image">` has two. */
  add(attributes: Attributes): void {
    const content = cleanText(attributes.get('content') ?? '');
    const keys = new Set(['name', 'property', 'http-equiv'].map((name) => keyIn(attributes, name)));
    keys.delete('');
    if (content === '' || [...keys].some((key) => contactKey.test(key))) return;
    for (const key of keys) {
      const isRobots = key === 'robots';
      const budget = isRobots ? this.#robotsBudget : this.#budget;
      const max = isRobots ? Infinity : maxMetas;
      budget.add(this.metas, max, { key, content }, key, content);
    }
  }
}

function keyIn(attributes: Attributes, name: string): string {
  return cleanText(attributes.get(name) ?? '')
    .slice(0, 200)
    .toLowerCase();
}
