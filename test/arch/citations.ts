import { FOREIGN_CITATIONS } from './rules';
import type { Finding, SourceFile } from './source-file';

/** A citation that leads nowhere, and the file it stands in. */
interface DeadCitation extends Finding {
  readonly file: string;
}

/** A document, and the number of an entry in it when one follows. */
const CITATION = /\bdocs\/([\w-]+\.md)(?:\s(?:\*\s)?([A-M]?\d+)\b)?/g;

/** The numbered entries of a document: `**C2. Name**` in a text, `| 6 |` in a table. */
const ENTRY = /^\|\s*(\d+)\s*\||\*\*([A-M]\d+)\./gm;

/** Documents whose entries are cited by number. */
const NUMBERED: ReadonlySet<string> = new Set(['docs/spec.md', 'docs/security.md']);

/**
 * Finds comments that cite what a reader of the repository does not have: a file from elsewhere, a document that is
 * not there, or a number that the document does not hold.
 */
export function deadCitations(files: readonly SourceFile[]): DeadCitation[] {
  const entries = new Map(
    files.filter((f) => f.path.startsWith('docs/')).map((f) => [f.path, entriesOf(f.text)]),
  );
  return files.flatMap((f) =>
    f.comments.flatMap(({ line, what }) => {
      const foreign = f.path.startsWith('src/') ? [...what.matchAll(FOREIGN_CITATIONS)] : [];
      const dead = [...what.matchAll(CITATION)].filter(
        ([, document = '', number]) => !holds(entries, `docs/${document}`, number),
      );
      return [...foreign, ...dead].map((match) => ({
        file: f.path,
        line: line + what.slice(0, match.index).split('\n').length - 1,
        what: match[0],
      }));
    }),
  );
}

const entriesOf = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(ENTRY)].map(([, row, entry]) => row ?? entry ?? ''));

function holds(
  entries: ReadonlyMap<string, ReadonlySet<string>>,
  document: string,
  number: string | undefined,
): boolean {
  const known = entries.get(document);
  if (known === undefined) return false;
  return number === undefined || !NUMBERED.has(document) || known.has(number);
}
