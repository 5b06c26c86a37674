/** An element of a picture, in HTML or SVG. */
export interface Element {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly (Element | string | number)[];
}

/** What the picture shows: the fields of `Domain` that `pictureFields` selects. Times are RFC 3339. */
export interface PictureInput {
  readonly domain: string;
  readonly unicodeName?: string;
  readonly status: string;
  readonly checkedAt?: string | null;
  readonly freshUntil?: string | null;
  readonly stale?: boolean;
  readonly evidence: {
    readonly conclusion: {
      readonly word: string;
      readonly rule: string;
      readonly sentence: string;
      readonly authoritySentence: string;
      readonly wouldChange: string;
    } | null;
    readonly sources: readonly {
      readonly source: string;
      readonly server: string | null;
      readonly askedAt: string | null;
      readonly answeredAt: string | null;
      readonly durationMs: number | null;
      readonly answer: string;
      readonly statement: string;
      readonly controls: readonly { readonly kind: string; readonly passedAt: string }[];
    }[];
  } | null;
  readonly timeline?:
    | readonly {
        readonly event: string;
        readonly from: string | null;
        readonly to: string | null;
        readonly source: string;
        readonly certainty: string;
      }[]
    | null;
}

export const pictureFields: string;
export function evidencePicture(domain: PictureInput, now: number): Element | undefined;

interface Mark {
  readonly from: number;
  readonly to: number;
  readonly kind: string;
}
export function chart(options: {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
  readonly rows: readonly {
    readonly label: string;
    readonly marks: readonly Mark[];
    readonly text: string;
    readonly note: string;
  }[];
}): Element;
