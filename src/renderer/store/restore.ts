import type { RestorePoint, RestorePreview, RestoreReport } from '../../shared/checkpoint';
import type { Result } from '../../shared/result';
import { plural } from '../ui/format';
import type { Lathe } from './lathe';
import { revisePrompt, rewindTo } from './sessions';
import { addToast, reported } from './toasts';

/** Asks what going back would do to files. */
export const previewRestore = (
  lathe: Lathe,
  sessionId: string,
  point: RestorePoint,
): Promise<Result<RestorePreview>> =>
  lathe.ask((client) => client.restore.preview({ sessionId, point }));

/** Gives files back their state, and says what could not be; null when all of it failed. */
export async function restoreFiles(
  lathe: Lathe,
  sessionId: string,
  point: RestorePoint,
  overwrite: boolean,
): Promise<RestoreReport | null> {
  const done = reported(
    lathe.store,
    await lathe.ask((client) => client.restore.files({ sessionId, point, overwrite })),
  );
  if (!done.ok) return null;
  const { failed } = done.value;
  const [first] = failed;
  if (first !== undefined) {
    addToast(lathe.store, {
      level: 'error',
      text: `${plural(failed.length, 'path')} could not be restored.`,
      fix: `${first.path}: ${first.why}.`,
    });
  }
  return done.value;
}

/** How to go back to before a prompt. */
export interface WayBack {
  readonly what: 'files' | 'conversation' | 'both';
  readonly overwrite: boolean;
  /** The prompt is to be edited: the conversation alone goes back when that is sent. */
  readonly revised: boolean;
}

/** Goes back to before a prompt, with its files or without. What failed first keeps the rest from happening. */
export async function goBack(
  lathe: Lathe,
  sessionId: string,
  promptId: string,
  { what, overwrite, revised }: WayBack,
): Promise<void> {
  if (what === 'conversation' && revised) return revisePrompt(lathe, sessionId, promptId);
  const point = { kind: 'prompt', promptId } as const;
  const report =
    what === 'conversation' ? null : await restoreFiles(lathe, sessionId, point, overwrite);
  if (what === 'files' || (what === 'both' && report === null)) return;
  await rewindTo(lathe, sessionId, promptId, report?.id ?? undefined);
}

/**
 * Opens the preview of going back to before a prompt; where no file would change, goes back at once, or opens the prompt that
 * is `revised`, which is true.
 */
export async function askToGoBack(
  lathe: Lathe,
  sessionId: string,
  promptId: string,
  revised = false,
): Promise<boolean> {
  const point = { kind: 'prompt', promptId } as const;
  const preview = await previewRestore(lathe, sessionId, point);
  if (preview.ok && touchesFiles(preview.value)) {
    const kind = 'restore';
    lathe.store.setState({
      dialog: { kind, sessionId, point, ...(revised ? { revised } : {}) },
    });
    return false;
  }
  await (revised ? revisePrompt : rewindTo)(lathe, sessionId, promptId);
  return true;
}

/** Tells whether there is anything to choose or to say about files. */
const touchesFiles = ({ count, conflictCount, lost }: RestorePreview): boolean =>
  count + conflictCount + lost.length > 0;
