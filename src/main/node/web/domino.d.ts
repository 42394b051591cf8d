/** The package's own declarations name another package. */
declare module '@mixmark-io/domino' {
  /** Parses HTML as browsers do. */
  export function createDocument(html: string): Document;
}
