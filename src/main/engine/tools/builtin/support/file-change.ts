import type { ApprovalSubject } from '../../../../../shared/permission';
import { err, ok, type Result } from '../../../../../shared/result';
import type { ToolView } from '../../../../../shared/tool-call';
import { diffLines } from '../../../text-diff';
import type { ToolEnvironment } from '../../environment';
import { numberLines } from './numbered-lines';
import type { Target } from './target';

/** The largest text that is edited in memory. Bytes. */
export const MAX_TEXT_BYTES = 10 * 1024 * 1024;

/** Lines of a diff kept with the call; the dialog shows far more, because it must show what will happen. */
const VIEW_LINES = 400;
const APPROVAL_LINES = 20_000;

/** Lines of the new text given back to the model. */
const SNIPPET_LINES = 40;

/** A change that was worked out and not made yet. `before` and `after` are texts, `bytes` is what gets written. */
export interface FileChange {
  readonly target: Target;
  readonly created: boolean;
  readonly before: string;
  readonly after: string;
  readonly bytes: Uint8Array;
}

/** Makes the change in one step and remembers the new version as seen. */
export async function commitChange(
  change: FileChange,
  env: ToolEnvironment,
): Promise<Result<null, string>> {
  const { realPath } = change.target;
  const written = await env.services.files.writeAt(change.target, change.bytes);
  if (!written.ok) return err(`The file was not changed: ${written.error.message}`);
  const { mtimeMs, size } = written.value;
  const whole = env.agent.reads.get(realPath)?.whole ?? true;
  env.agent.reads.set(realPath, { mtimeMs, size, whole }, change.after);
  return ok(null);
}

/** Returns what the dialog shows of a change. */
export function changeSubject(change: FileChange): ApprovalSubject {
  const { path, realPath } = change.target;
  const { hunks } = diffLines(change.before, change.after, APPROVAL_LINES);
  return { kind: 'edit', path, realPath, created: change.created, hunks: [...hunks] };
}

/** Returns what the conversation shows of a change. */
export function changeView(change: FileChange): ToolView {
  const { hunks, added, removed } = diffLines(change.before, change.after, VIEW_LINES);
  const { path } = change.target;
  return { kind: 'diff', path, created: change.created, added, removed, hunks: [...hunks] };
}

/** Returns the places that changed as they read now, numbered; bounded. */
export function changedSnippet(change: FileChange): string {
  const { hunks } = diffLines(change.before, change.after, SNIPPET_LINES * 2);
  return hunks
    .map(({ newStart, lines }) => {
      const now = lines.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
      return numberLines(now.slice(0, SNIPPET_LINES), newStart);
    })
    .join('\n   ...\n');
}
