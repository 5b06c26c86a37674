import table from './products.json' with { type: 'json' };
import type { DnsRecords } from '../dns/dns-records.ts';
import type { PageVisit } from '../page/page-visit.ts';
import {
  technologyCategories,
  type Technology,
  type TechnologyCategory,
  type TechnologyEvidence,
  type Product,
} from './technology.ts';
import { matchRule } from './match-rule.ts';
import { siteEvidence, type SiteEvidence } from './site-evidence.ts';

interface CategorizedProduct extends Product {
  readonly category: TechnologyCategory;
}

/** The products that are recognized, from what their vendors document, in the order of categories. */
export const products: readonly CategorizedProduct[] = technologyCategories.flatMap((category) =>
  (table[category] as readonly Product[]).map((product) => ({ ...product, category })),
);

export const productById: ReadonlyMap<string, CategorizedProduct> = new Map(
  products.map((product) => [product.id, product]),
);

/**
 * Returns the products that a site shows to use, each once with all its evidence, in the order of
 * the table. A version is reported only if the site states it.
 */
export function detectTechnologies(data: {
  readonly visit: PageVisit;
  readonly dns: DnsRecords | null;
}): readonly Technology[] {
  const site = siteEvidence(data.visit, data.dns);
  const direct = products.flatMap((product) => detect(product, site));
  const technologies = new Map(direct.map((technology) => [technology.id, technology]));
  // A product that is implied may imply another; the map also visits what is added meanwhile.
  for (const { id, name } of technologies.values())
    for (const implied of productById.get(id)?.implies ?? [])
      addImplied(technologies, implied, { source: 'implied', key: id, matched: name });

  return [...technologies.values()];
}

function detect(product: CategorizedProduct, site: SiteEvidence): readonly Technology[] {
  const matches = product.rules.flatMap((rule) => matchRule(rule, site) ?? []);
  if (matches.length === 0) return [];
  const { id, name, category } = product;
  const version = matches.find((match) => match.version !== null)?.version ?? null;
  const evidence = new Map(matches.map((match) => [keyOf(match.evidence), match.evidence]));
  return [{ id, name, category, version, evidence: [...evidence.values()] }];
}

function addImplied(
  technologies: Map<string, Technology>,
  id: string,
  evidence: TechnologyEvidence,
): void {
  const product = productById.get(id);
  if (!product) return;

  const detected = technologies.get(id);
  const { name, category } = product;
  technologies.set(id, {
    ...(detected ?? { id, name, category, version: null }),
    evidence: [...(detected?.evidence ?? []), evidence],
  });
}

function keyOf({ source, key, matched }: TechnologyEvidence): string {
  return JSON.stringify([source, key, matched]);
}

/**
 * Returns the number of independent kinds of evidence for a product, from 0 to 8: headers, cookies,
 * meta elements, scripts, links, the host name, CNAME records and name servers. 0: it is only
 * implied by another product.
 */
export function countEvidenceKinds({ evidence }: Technology): number {
  return new Set(evidence.map(({ source }) => source).filter((source) => source !== 'implied'))
    .size;
}

/**
 * Returns the names of the products that a reader wants to know first: of each category, that with
 * the most kinds of evidence; null or empty if none was found.
 */
export function summarizeTechnologies(list: readonly Technology[]) {
  return {
    cdn: clearest(list, 'cdn'),
    server: clearest(list, 'server'),
    framework: clearest(list, 'framework'),
    // A content management system, else a site builder.
    cms: clearest(list, 'cms') ?? clearest(list, 'site_builder'),
    hosting: clearest(list, 'hosting'),
    analytics: list.filter(({ category }) => category === 'analytics').map(({ name }) => name),
  };
}

/** Returns the name of the product of a category with the most kinds of evidence. */
function clearest(list: readonly Technology[], category: TechnologyCategory): string | null {
  const [first] = list
    .filter((technology) => technology.category === category)
    .toSorted((a, b) => countEvidenceKinds(b) - countEvidenceKinds(a));
  return first?.name ?? null;
}
