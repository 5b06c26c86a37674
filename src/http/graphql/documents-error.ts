/** A list of documents is not valid. The message names the operation or member at fault. */
export class DocumentsError extends Error {
  override readonly name = 'DocumentsError';
}
