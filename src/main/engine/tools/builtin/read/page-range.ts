import { err, ok, type Result } from '../../../../../shared/result';

/** Pages of a PDF in one result. */
export const MAX_PAGES = 20;

/** Some pages, both ends included; the first page is 1. */
export interface PageRange {
  readonly first: number;
  readonly last: number;
}

/** Reads `3`, `1-5` or `10-` (to the end, as far as one result takes). The error is for the model. */
export function parsePages(asked: string): Result<PageRange, string> {
  const found = /^\s*(\d{1,6})\s*(?:(-)\s*(\d{1,6})?)?\s*$/.exec(asked);
  const first = Number(found?.[1]);
  if (found === null || first < 1) {
    return err(`pages must be like "3", "1-5" or "10-", not "${asked.slice(0, 40)}".`);
  }
  const open = found[2] !== undefined && found[3] === undefined;
  const last = open ? first + MAX_PAGES - 1 : Number(found[3] ?? first);
  if (last < first) return err(`pages "${asked}" ends before it begins.`);
  if (last - first >= MAX_PAGES) {
    return err(`pages "${asked}" are ${last - first + 1} pages; at most ${MAX_PAGES} at once.`);
  }
  return ok({ first, last });
}
