import { pageAsset } from './assets.ts';
import { html, trusted, type Html } from './docs/html.ts';
import { evidencePicture, type Element, type PictureInput } from './picture.js';

/** The style of the picture. A page that has one also needs `site.css`. */
export const pictureStyle = pageAsset('picture.css');

/**
 * Renders the evidence of a name as a picture, as it is seen at a time (epoch ms): a `figure` without
 * scripts. Empty if nothing was looked up.
 */
export function renderPicture(input: PictureInput, now: number): Html {
  const picture = evidencePicture(input, now);
  return picture ? renderElement(picture) : html``;
}

/** Renders an element. Texts and the values of attributes are escaped. */
export function renderElement({ tag, attributes, children }: Element): Html {
  const name = trusted(tag);
  const written = Object.entries(attributes).map(
    ([key, value]) => html` ${trusted(key)}="${value}"`,
  );
  const content = children.map((child) =>
    typeof child === 'object' ? renderElement(child) : html`${child}`,
  );

  return html`<${name}${written}>${content}</${name}>`;
}
