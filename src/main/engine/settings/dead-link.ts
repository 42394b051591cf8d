import path from 'node:path';
import type { Files } from '../ports';

/** Tells whether somebody put a file there whose content is elsewhere and gone: a link, or one in a linked folder. */
export async function isDeadLink(file: string, files: Pick<Files, 'list'>): Promise<boolean> {
  const folder = path.dirname(file);
  const listed = await files.list(folder);
  if (!listed.ok) return folder !== file && isDeadLink(folder, files);
  return listed.value.some(({ name, kind }) => kind === 'link' && name === path.basename(file));
}
