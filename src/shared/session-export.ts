import { z } from 'zod';

/** The formats in which a session can be written out. */
export const ExportFormat = z.enum(['markdown', 'json', 'html']);
export type ExportFormat = z.infer<typeof ExportFormat>;

/** A piece of what is written, or what of the session could not be read: a line for the user. */
export type ExportPiece = string | { readonly told: string };

/** The end of the file names and the media types of the formats. */
export const EXPORT_FILES: Readonly<
  Record<ExportFormat, { readonly ending: string; readonly mediaType: string }>
> = {
  markdown: { ending: 'md', mediaType: 'text/markdown' },
  json: { ending: 'json', mediaType: 'application/json' },
  html: { ending: 'html', mediaType: 'text/html' },
};

/** Returns a file name for a session: its title as far as file systems take it, of at most 80 characters. */
export function exportName(title: string, format: ExportFormat): string {
  const words = title
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase();
  const base = [...words].slice(0, 80).join('') || 'session';
  return `${base}.${EXPORT_FILES[format].ending}`;
}
