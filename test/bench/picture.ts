import { isMet, type Figure } from './figures.ts';

const rowHeight = 46;
const [left, width] = [16, 560];

const styles = `text{font:14px system-ui,sans-serif;fill:#1c2230}.q{fill:#566073;font-size:12px}
.g{fill:#0f6e3c}.u{fill:#9a6700}.b{fill:#c5ccda}path{stroke:#1c2230;stroke-width:2}
@media (prefers-color-scheme:dark){text{fill:#e6e9f0}.q{fill:#a3adbf}.g{fill:#57c98a}.u{fill:#e0b04a}.b{fill:#3a4459}path{stroke:#e6e9f0}}`;

/**
 * Draws how many times the processor time of its baseline a figure takes, with a line at its target.
 * Returns an SVG.
 */
export function processorTimePicture(figures: readonly Figure[]): string {
  const shown = figures.filter(({ unit, baseline }) => unit === 'µs' && baseline !== undefined);
  const longest = Math.max(...shown.flatMap((figure) => [figure.ratio.median, targetOf(figure)]));
  const lengthOf = (ratio: number) => Math.round((ratio / longest) * width);

  const rows = shown.map((figure, index) => {
    const top = 40 + index * rowHeight;
    const target = left + lengthOf(targetOf(figure));
    const ratio = figure.ratio.median.toPrecision(2);
    return [
      `<text x="${left}" y="${top}">${escaped(figure.what)}</text>`,
      `<rect class="${isMet(figure) ? 'g' : 'u'}" x="${left}" y="${top + 6}" width="${lengthOf(figure.ratio.median)}" height="12" rx="3"/>`,
      `<path d="M${target} ${top + 3}v18"/>`,
      `<text class="q" x="${left + width + 10}" y="${top + 17}">${ratio} × (target: ${targetOf(figure)})</text>`,
    ].join('\n');
  });

  const height = 40 + shown.length * rowHeight;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 ${height}" width="720" role="img"><title>Processor time compared with baselines</title>
<style>
${styles}
</style>
<text class="q" x="${left}" y="16">Processor time as a multiple of the baseline; the line is the target.</text>
${rows.join('\n')}
</svg>
`;
}

function targetOf({ target }: Figure): number {
  return 'atMost' in target ? target.atMost : target.atLeast;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
