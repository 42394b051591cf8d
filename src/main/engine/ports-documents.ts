import type { Result } from '../../shared/result';

/** The answer of a web server to one GET. The body is decompressed; `truncated` when there was more of it. */
export type WebAnswer =
  | {
      readonly kind: 'page';
      readonly status: number;
      /** Lower case, without parameters; empty when the server did not say. */
      readonly mediaType: string;
      readonly charset: string;
      readonly body: Uint8Array;
      readonly truncated: boolean;
    }
  | { readonly kind: 'redirect'; readonly status: number; readonly location: string };

/** The reason there is no answer. `message` is for a user and names the host. */
export interface WebFault {
  readonly code: 'private_address' | 'unreachable' | 'timeout' | 'aborted' | 'other';
  readonly message: string;
}

/** The code of an error about an answer that is packed in a way which is not known. */
export type UnknownEncodingCode = 'LATHE_UNKNOWN_ENCODING';

/** The web, for reading. Nothing of a session (cookies, keys) goes along. */
export interface Web {
  /** One GET; redirects are reported, not followed. Connects to a private address only when that is allowed. */
  get(
    url: URL,
    options: {
      readonly allowPrivate: boolean;
      readonly maxBytes: number;
      readonly timeoutMs: number;
    },
    signal: AbortSignal,
  ): Promise<Result<WebAnswer, WebFault>>;
  /** An HTML page as Markdown, without what is around its content. Takes long pages off this process. */
  readable(
    html: string,
    url: URL,
    signal: AbortSignal,
  ): Promise<Result<{ readonly title: string; readonly markdown: string }, string>>;
}

/** The reason pages could not be taken out of a PDF. `message` says it for a user, without the path. */
export interface PdfFault {
  readonly code: 'encrypted' | 'broken' | 'no_such_page';
  readonly message: string;
}

/** Takes PDF files apart. */
export interface Pdfs {
  /** Counts the pages. */
  count(bytes: Uint8Array, signal: AbortSignal): Promise<Result<number, PdfFault>>;
  /** Pages `first` to `last` (from 1, cut at the end of the document) as a document of their own. */
  cut(
    bytes: Uint8Array,
    first: number,
    last: number,
    signal: AbortSignal,
  ): Promise<Result<PdfPages, PdfFault>>;
}

/** Some pages of a PDF. */
export interface PdfPages {
  readonly bytes: Uint8Array;
  readonly first: number;
  readonly last: number;
  /** Of the whole document. */
  readonly total: number;
}
