/** What a paste would do, decided before a byte is sent. */
export interface PastePlan {
  /** What to send, line ends as Return. */
  readonly text: string;
  /** The program would run each line as it arrives, so the person is asked first. */
  readonly needsConsent: boolean;
  readonly lines: number;
  /** Control characters that were taken out. */
  readonly removed: number;
}

const START = '\x1b[200~';
const END = '\x1b[201~';

/**
 * Plans a paste. Control characters other than tab and line ends are removed: they act like keys, and an
 * escape could end the bracket early and run the rest.
 */
export function planPaste(text: string, bracketed: boolean): PastePlan {
  const unified = text.replace(/\r\n?/g, '\n');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  const clean = unified.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
  const body = clean.replaceAll('\n', '\r');
  return {
    text: bracketed ? START + body + END : body,
    needsConsent: !bracketed && clean.includes('\n'),
    lines: clean.replace(/\n$/, '').split('\n').length,
    removed: unified.length - clean.length,
  };
}
