import { useCallback } from 'react';
import { mentionText } from '../../shared/project-file';
import { IMAGE_TYPES, readAttachment, withAttachments } from '../store/attachments';
import type { Lathe } from '../store/lathe';
import { reported, reportFault } from '../store/toasts';
import { useLathe } from '../store/use-lathe';
import { plural } from '../ui/format';

/** Returns what adds files to the draft on screen: as attachments, or by their paths where those are known. */
export function useAddFiles(): (files: readonly File[]) => void {
  const lathe = useLathe();
  return useCallback(
    (files) => void lathe.current.withDraft((keyNow) => addFiles(lathe, files, keyNow)),
    [lathe],
  );
}

async function addFiles(lathe: Lathe, files: readonly File[], keyNow: () => string): Promise<void> {
  const { drafts, bridge } = lathe;
  for (const [at, file] of files.entries()) {
    const path = IMAGE_TYPES.includes(file.type) ? '' : (bridge?.getPathForFile(file) ?? '');
    if (path !== '') {
      mention(lathe, path, keyNow());
      continue;
    }
    const read = reported(lathe.store, await readAttachment(file));
    if (!read.ok) continue;
    const key = keyNow();
    const all = withAttachments(drafts.attached(key), [read.value]);
    if (all.ok) drafts.attach(key, all.value);
    else if (all.error.code !== 'too_many') reported(lathe.store, all);
    else {
      const left = plural(files.length - at, 'file');
      reportFault(lathe.store, { ...all.error, fix: `${left} left out, from ${file.name} on.` });
      return;
    }
  }
}

/** Adds a mention of a file behind what is written; one of the project by its path in there. */
function mention({ store, drafts }: Lathe, path: string, key: string): void {
  const project = `${store.getState().opened?.path ?? ''}/`;
  const named = mentionText(path.startsWith(project) ? path.slice(project.length) : path);
  const before = drafts.get(key);
  drafts.set(key, `${before}${/(^|\s)$/.test(before) ? '' : ' '}${named} `);
}
