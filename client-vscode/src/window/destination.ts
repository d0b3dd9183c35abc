/** Where a jump goes: into the file's own editor, or into a range window on it. */

export interface Situation {
  /** The file's size in bytes; undefined where it is not known. */
  readonly size: number | undefined;
  /** The file's text is in front of the person, and extensions see it. */
  readonly hasEditor: boolean;
  /** From this size on the editor shows a placeholder first and asks. */
  readonly confirmationBytes: number;
  /** Above this size the range window is used at any rate: opening the file would exhaust the editor's memory. */
  readonly windowAboveBytes: number;
}

export type Destination = 'editor' | 'window';

export function destination(situation: Situation): Destination {
  const { size, hasEditor, confirmationBytes, windowAboveBytes } = situation;
  if (hasEditor || size === undefined) {
    return 'editor';
  }
  // Beyond 50 MB nothing tells a placeholder from the text behind it: the window is right in both cases.
  return size > windowAboveBytes || size >= confirmationBytes ? 'window' : 'editor';
}
