// Bundles the custom element <domain-search>: `domain-search.js`, which a page loads, and
// `domain-search-text.js`, which the element loads with the first text. Each is one file, so that a
// request that failed can be repeated, and an integrity hash covers all of it.
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');

/** Resolves to the code of each file by its name. */
export async function bundleElement(): Promise<ReadonlyMap<string, string>> {
  await using bundle = await rolldown({
    input: join(root, 'src/client/domain-search.js'),
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    logLevel: 'warn',
  });
  const { output } = await bundle.generate({
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    minify: true,
  });

  return new Map(
    output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file.code]] : [])),
  );
}
