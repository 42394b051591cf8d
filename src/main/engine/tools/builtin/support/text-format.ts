/** The form in which text is stored. `latin1` is any one-byte encoding that is not UTF-8: it keeps every byte. */
export interface TextFormat {
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin1';
  /** Starts with a byte order mark. */
  readonly bom: boolean;
}

/** The text of a file, and how to store it again. */
export interface DecodedText {
  readonly text: string;
  readonly format: TextFormat;
}

/** The length that is searched for NUL, which no text has: as far as git looks. */
const SNIFF_LENGTH = 8000;

const UTF8_BOM = [0xef, 0xbb, 0xbf];
const UTF16LE_BOM = [0xff, 0xfe];
const UTF16BE_BOM = [0xfe, 0xff];

/** Returns how a file that starts with these bytes stores text; null when it is binary. */
export function sniffFormat(start: Uint8Array): TextFormat | null {
  if (startsWith(start, UTF16LE_BOM)) return { encoding: 'utf-16le', bom: true };
  if (startsWith(start, UTF16BE_BOM)) return { encoding: 'utf-16be', bom: true };
  if (start.subarray(0, SNIFF_LENGTH).includes(0)) return null;
  return { encoding: 'utf-8', bom: startsWith(start, UTF8_BOM) };
}

/** Returns the length of a format's byte order mark, 0 when it has none. Bytes. */
export function bomLength(format: TextFormat): number {
  if (!format.bom) return 0;
  return format.encoding === 'utf-8' ? UTF8_BOM.length : UTF16LE_BOM.length;
}

/** Decodes the text of a whole file; null when it is binary. {@link encodeText} gives the same bytes back. */
export function decodeText(bytes: Uint8Array): DecodedText | null {
  const format = sniffFormat(bytes);
  if (format === null) return null;
  const body = Buffer.from(bytes.subarray(bomLength(format)));
  if (format.encoding === 'utf-8') {
    const text = decodeUtf8(body);
    if (text !== null) return { text, format };
    return {
      text: Buffer.from(bytes).toString('latin1'),
      format: { encoding: 'latin1', bom: false },
    };
  }
  if (body.length % 2 !== 0) return null;
  const text = (format.encoding === 'utf-16le' ? body : body.swap16()).toString('utf16le');
  return text.slice(0, SNIFF_LENGTH).includes('\0') ? null : { text, format };
}

/** Encodes a text in a format; null when the format cannot hold some character of it. */
export function encodeText(text: string, format: TextFormat): Uint8Array | null {
  switch (format.encoding) {
    case 'utf-8':
      return text.isWellFormed() ? withBom(format, UTF8_BOM, Buffer.from(text, 'utf8')) : null;
    case 'utf-16le':
      return withBom(format, UTF16LE_BOM, Buffer.from(text, 'utf16le'));
    case 'utf-16be':
      return withBom(format, UTF16BE_BOM, Buffer.from(text, 'utf16le').swap16());
    case 'latin1':
      return isLatin1(text) ? Buffer.from(text, 'latin1') : null;
  }
}

/** Returns the line end that most lines of a text have; `\n` when there is none. */
export function lineEnd(text: string): '\n' | '\r\n' {
  const windows = text.split('\r\n').length - 1;
  const all = text.split('\n').length - 1;
  return windows * 2 > all ? '\r\n' : '\n';
}

/** Returns the text with every line end as given. */
export function withLineEnd(text: string, end: '\n' | '\r\n'): string {
  const unix = text.replaceAll('\r\n', '\n');
  return end === '\n' ? unix : unix.replaceAll('\n', '\r\n');
}

const startsWith = (bytes: Uint8Array, prefix: readonly number[]): boolean =>
  prefix.every((byte, i) => bytes[i] === byte);

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

const withBom = (format: TextFormat, bom: readonly number[], body: Buffer): Uint8Array =>
  format.bom ? Buffer.concat([Buffer.from(bom), body]) : body;

const isLatin1 = (text: string): boolean => {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) > 0xff) return false;
  return true;
};
