import { type DurableEvent, MAIN_AGENT, type Stamped } from '../../../shared/agent-event';
import type { ChangedText, SessionChanges } from '../../../shared/changes';
import {
  ChangeCause,
  MAX_PREVIEWED,
  type RestoreDiff,
  type RestorePoint,
  type RestorePreview,
  type RestoreReport,
} from '../../../shared/checkpoint';
import { err, type Fault, fault, ok, type Result } from '../../../shared/result';
import type { Ids } from '../ports';
import type {
  ChangeSet,
  CheckpointKeep,
  CheckpointMark,
  CheckpointScope,
  OpenCheckpoint,
  ProjectCheckpoints,
} from '../ports-checkpoints';
import { diffLines } from '../text-diff';
import { forward, textsOf, unread, withCounts, withoutHunk } from './file-texts';
import { fileOf, type PlannedFile, pathsOf, planRestore, type RestorePlan } from './restore-plan';
import { createTimeline } from './timeline';

/** A call that changes files, by its id, and those around it. */
type MadeCall = { readonly callId: string; within?: string[] };

/** Ends the checkpoint of a call. Never rejects. */
type EndCheckpoint = () => Promise<void>;

/** The checkpoints of one session, and the way back to them. Nothing here rejects. */
export interface SessionCheckpoints {
  /** Makes the first look at the project, which takes the longest, beside everything else. */
  warm(): void;
  /**
   * Keeps what a call may change; what it returns keeps what it changed. Null when nothing is kept of it. `within`: the calls
   * that started the sub-agents it is made in, outermost first.
   */
  begin(
    callId: string,
    scope: () => Promise<CheckpointScope | null>,
    within?: readonly string[],
  ): Promise<EndCheckpoint | null>;
  preview(point: RestorePoint): Promise<Result<RestorePreview>>;
  /** Returns the difference that going back makes to one file. */
  diff(point: RestorePoint, path: string): Promise<Result<RestoreDiff>>;
  /**
   * Gives files back their state, and keeps the one they had. A path that somebody else changed is left as it is unless
   * `overwrite`. The caller sees to it that nothing runs.
   */
  restore(point: RestorePoint, overwrite: boolean): Promise<Result<RestoreReport>>;
  /** Returns the files that differ from what they were before the session. */
  changes(): Promise<Result<SessionChanges>>;
  /** Returns the difference of one of them, from then to now. */
  changedText(path: string): Promise<Result<ChangedText>>;
  /** Takes one hunk of that difference back; `now` is the content that was compared. The caller sees that nothing runs. */
  revertHunk(path: string, now: string, hunk: number): Promise<Result<RestoreReport>>;
  /** Returns what undo would take back; null when there is nothing. */
  undoable(): RestorePoint | null;
  /** Returns what redo would; null when nothing was undone. */
  redoable(): RestorePoint | null;
  /** Resolves when what has begun is kept. */
  close(): Promise<void>;
}

export interface SessionCheckpointsOptions {
  /** Null where there are none. */
  readonly project: ProjectCheckpoints | null;
  readonly sessionId: string;
  readonly ids: Ids;
  /** The events of the session's log so far. */
  readonly events: readonly DurableEvent[];
  readonly listen: (listener: (stamped: Stamped) => void) => void;
  /** Records an event of the main agent. */
  readonly record: (event: DurableEvent) => void;
  /** Tells whether checkpoints are wanted now. */
  readonly enabled: () => boolean;
  /** Returns how long and how much is to be kept. */
  readonly keep: () => CheckpointKeep;
  /** Calls back after files were restored. */
  readonly onRestored: () => void;
}

/** Paths that an event names. */
const MAX_NAMED = 20;
/** Paths of a preview whose lines are counted, and the longest of them in bytes. */
const MAX_COUNTED = 60;
const MAX_COUNTED_BYTES = 256 * 1024;
/** The longest text that is compared for people. Bytes. */
const MAX_DIFF_BYTES = 4 * 1024 * 1024;
const MAX_DIFF_LINES = 2_000;

/** Creates the checkpoints of a session. */
export function createSessionCheckpoints(options: SessionCheckpointsOptions): SessionCheckpoints {
  const { project, ids, record } = options;
  const timeline = createTimeline(options.events);
  const told = new Set<string>();
  /** The tasks that run in the background, by the call that started them. */
  const running = new Map<string, string>();
  /** The checkpoints of commands that went on in the background, by their task. */
  const open = new Map<string, { readonly call: MadeCall; readonly checkpoint: OpenCheckpoint }>();
  const ending = new Set<Promise<void>>();

  const beside = (act: Promise<void>) => {
    const done: Promise<void> = act.finally(() => ending.delete(done));
    ending.add(done);
  };
  const nextId = () => `${options.sessionId}/${ids.next('chk')}`;
  const tell = ({ code, message, fix }: Fault) => {
    if (told.has(code)) return;
    told.add(code);
    const notice = {
      type: 'notice',
      level: 'warning',
      code: 'checkpoints',
      text: message,
    } as const;
    record({ ...notice, ...(fix === undefined ? {} : { fix }) });
  };
  const note = (id: string, cause: ChangeCause, { changes }: ChangeSet) => {
    const paths = changes.slice(0, MAX_NAMED).map(({ path }) => path);
    record({ type: 'files_changed', id, cause, count: changes.length, paths });
  };
  /** Makes room in the store, beside everything else, and says what can no longer be undone here. */
  const prune = async (store: ProjectCheckpoints): Promise<void> => {
    const gone = await store.prune(options.keep());
    if (!gone.ok) return tell(gone.error);
    const own = gone.value.filter((id) => id.startsWith(`${options.sessionId}/`));
    if (own.length === 0) return;
    const text = `Checkpoints of ${own.length} older ${own.length === 1 ? 'change' : 'changes'} of this session are no longer kept: they cannot be undone.`;
    const fix = '`checkpointDays` and `checkpointMegabytes` in settings say how long and how much.';
    record({ type: 'notice', level: 'info', code: 'checkpoints_pruned', text, fix });
  };
  const finish = async (checkpoint: OpenCheckpoint, cause: ChangeCause) => {
    const id = nextId();
    const ended = await checkpoint.end(id);
    if (!ended.ok) tell(ended.error);
    else if (ended.value !== null) {
      note(id, cause, ended.value);
      if (project !== null) beside(prune(project));
    }
  };
  const settle = (taskId: string) => {
    const known = open.get(taskId);
    if (known === undefined) return;
    open.delete(taskId);
    beside(finish(known.checkpoint, { kind: 'task', ...known.call, taskId }));
  };
  const markOf = (cause: ChangeCause): CheckpointMark => ({
    session: options.sessionId,
    text: JSON.stringify(cause),
  });
  let recovering: Promise<void> | null = null;
  /** Makes the first look of this process, and keeps what something that a crash cut had changed. */
  const recovered = (store: ProjectCheckpoints): Promise<void> => {
    const recover = async () => {
      const id = nextId();
      const found = await store.recover(options.sessionId, id);
      if (!found.ok) return tell(found.error);
      const cause = ChangeCause.safeParse(parsed(found.value?.mark));
      if (found.value !== null && cause.success) note(id, cause.data, found.value.changeSet);
    };
    recovering ??= recover();
    return recovering;
  };
  /** Goes on with the command of a call that has its result and works in the background now. */
  const follow = async (store: ProjectCheckpoints, call: MadeCall, taskId: string) => {
    const mark = markOf({ kind: 'task', ...call, taskId });
    const begun = await store.begin('all', true, mark);
    if (!begun.ok) return tell(begun.error);
    open.set(taskId, { call, checkpoint: begun.value });
    if (running.get(call.callId) !== taskId) settle(taskId);
  };

  options.listen(({ agentId, event }) => {
    if (event.type === 'task_started' && event.task.isBackgrounded) {
      if (event.task.callId !== undefined) running.set(event.task.callId, event.task.id);
    }
    if (event.type === 'task_settled') {
      if (event.task.callId !== undefined) running.delete(event.task.callId);
      settle(event.task.id);
    }
    if (agentId !== MAIN_AGENT) return;
    if (event.type === 'user_message' || event.type === 'files_changed') timeline.fold(event);
  });

  /** Plans to go back, from the files as they are now. */
  const plan = async (point: RestorePoint): Promise<Result<Planned>> => {
    if (project === null) return err(NO_CHECKPOINTS);
    if (options.enabled()) await recovered(project);
    const took = timeline.changesSince(point);
    if (took === null) return err(UNKNOWN_POINT);
    if (took.length === 0) return ok({ took, sets: [], files: [], lost: [] });
    const sets = await project.load(took);
    if (!sets.ok) return sets;
    const current = await project.look(pathsOf(sets.value));
    if (!current.ok) return current;
    const planned = planRestore(sets.value, current.value);
    if (point.kind !== 'file') return ok({ took, sets: sets.value, ...planned });
    const files = planned.files.filter(({ path }) => path === point.path);
    const lost = planned.lost.filter((path) => path === point.path);
    return ok({ took: [], sets: [], files, lost });
  };

  const contentsOf = async (
    files: readonly PlannedFile[],
    maxBytes: number,
  ): Promise<Result<ReadonlyMap<string, Uint8Array>>> => {
    const blobs = files.flatMap(({ now, target }) =>
      [now, target].flatMap((state) =>
        state?.kind === 'file' && state.blob !== null && state.size <= maxBytes ? [state.blob] : [],
      ),
    );
    return project === null ? err(NO_CHECKPOINTS) : project.contents(blobs, maxBytes);
  };

  const restorable = async (path: string) => {
    const planned = await plan({ kind: 'file', path });
    if (!planned.ok) return planned;
    const file = planned.value.files[0];
    if (file === undefined) return ok(null);
    const contents = await contentsOf([file], MAX_DIFF_BYTES);
    if (!contents.ok) return contents;
    return ok({ file, texts: textsOf(file, contents.value) });
  };

  return {
    changes: async () => {
      const planned = await plan({ kind: 'session' });
      if (!planned.ok) return planned;
      const { files, lost } = planned.value;
      const shown = files.slice(0, MAX_PREVIEWED);
      const contents = await contentsOf(shown.slice(0, MAX_COUNTED), MAX_COUNTED_BYTES);
      return ok({
        files: [
          ...shown.map((file) =>
            forward(contents.ok ? withCounts(file, contents.value) : fileOf(file)),
          ),
          ...lost.slice(0, MAX_PREVIEWED).map(unread),
        ],
        count: files.length + lost.length,
      });
    },
    changedText: async (path) => {
      const found = await restorable(path);
      if (!found.ok) return found;
      if (found.value === null) return ok({ path, hunks: null, now: null });
      const { file, texts } = found.value;
      const now = file.now?.kind === 'file' ? file.now.blob : null;
      const [after, before] = texts ?? [];
      if (before === undefined || after === undefined) return ok({ path, hunks: null, now });
      return ok({ path, hunks: diffLines(before, after, MAX_DIFF_LINES).hunks, now });
    },
    revertHunk: async (path, now, hunk) => {
      const found = await restorable(path);
      if (!found.ok) return found;
      if (project === null || found.value === null) return err(OTHER_CONTENT);
      const { file, texts } = found.value;
      if (file.now?.kind !== 'file' || file.now.blob !== now || texts === null) {
        return err(OTHER_CONTENT);
      }
      const text = withoutHunk(texts[1], texts[0], hunk);
      if (text === null) return err(OTHER_CONTENT);
      const bytes = new TextEncoder().encode(text);
      const isGone = file.target === null && text === '';
      const blob = await project.keep(bytes);
      if (!blob.ok) return blob;
      const state = { ...file.now, size: bytes.length, blob: blob.value };
      const id = nextId();
      const restored = await project.restore(id, [{ path, state: isGone ? null : state }]);
      if (!restored.ok) return restored;
      const { changeSet, failed } = restored.value;
      const count = changeSet.changes.length;
      if (count === 0) return ok({ ...NOT_RESTORED, failed });
      note(id, { kind: 'restore', point: { kind: 'file', path }, took: [] }, changeSet);
      options.onRestored();
      return ok({ id, count, left: [], failed });
    },
    warm: () => {
      if (project === null || !options.enabled()) return;
      beside(recovered(project).then(() => prune(project)));
    },
    begin: async (callId, scope, within = []) => {
      if (project === null || !options.enabled()) return null;
      const files = await scope();
      if (files === null) return null;
      await recovered(project);
      const call = { callId, ...(within.length === 0 ? {} : { within: [...within] }) };
      const begun = await project.begin(files, false, markOf({ kind: 'call', ...call }));
      if (!begun.ok) {
        tell(begun.error);
        return null;
      }
      return async () => {
        await finish(begun.value, { kind: 'call', ...call });
        const taskId = running.get(callId);
        if (taskId !== undefined) await follow(project, call, taskId);
      };
    },
    preview: async (point) => {
      const planned = await plan(point);
      if (!planned.ok) return planned;
      const { files, lost } = planned.value;
      const [sure, doubtful] = [
        files.filter(({ conflict }) => conflict === undefined),
        files.filter(({ conflict }) => conflict !== undefined),
      ];
      const shown = [...sure.slice(0, MAX_PREVIEWED), ...doubtful.slice(0, MAX_PREVIEWED)];
      const contents = await contentsOf(shown.slice(0, MAX_COUNTED), MAX_COUNTED_BYTES);
      const counted = new Map(
        shown.map((file) => [file, contents.ok ? withCounts(file, contents.value) : fileOf(file)]),
      );
      const list = (some: readonly PlannedFile[]) =>
        some.flatMap((file) => counted.get(file) ?? []);
      return ok({
        files: list(sure),
        count: sure.length,
        conflicts: list(doubtful),
        conflictCount: doubtful.length,
        lost: lost.slice(0, MAX_PREVIEWED),
      });
    },
    diff: async (point, path) => {
      const planned = await plan(point);
      if (!planned.ok) return planned;
      const file = planned.value.files.find((one) => one.path === path);
      if (file === undefined) return ok({ path, hunks: [] });
      const contents = await contentsOf([file], MAX_DIFF_BYTES);
      if (!contents.ok) return contents;
      const texts = textsOf(file, contents.value);
      return ok({ path, hunks: texts && diffLines(...texts, MAX_DIFF_LINES).hunks });
    },
    restore: async (point, overwrite) => {
      const planned = await plan(point);
      if (!planned.ok) return planned;
      const { took, sets, files, lost } = planned.value;
      const chosen = files.filter(({ conflict }) => overwrite || conflict === undefined);
      const left = files.flatMap((file) => (chosen.includes(file) ? [] : [file.path]));
      if (project === null || chosen.length === 0) return ok({ ...NOT_RESTORED, left });
      const id = nextId();
      const targets = chosen.map(({ path, target: state }) => ({ path, state }));
      const restored = await project.restore(
        id,
        targets,
        markOf({ kind: 'restore', point, took: [] }),
      );
      if (!restored.ok) return restored;
      const { changeSet, failed } = restored.value;
      const count = changeSet.changes.length;
      if (count === 0) return ok({ ...NOT_RESTORED, left, failed });
      const kept = new Set([...left, ...lost, ...failed.map(({ path }) => path)]);
      const whole = took.filter((_, at) => !sets[at]?.changes.some(({ path }) => kept.has(path)));
      note(id, { kind: 'restore', point, took: whole }, changeSet);
      options.onRestored();
      return ok({ id, count, left, failed });
    },
    undoable: timeline.undoable,
    redoable: timeline.redoable,
    close: async () => {
      await Promise.all(ending);
    },
  };
}

/** A plan with what it takes back: ids, and the change sets of the same order. */
interface Planned extends RestorePlan {
  readonly took: readonly string[];
  readonly sets: readonly ChangeSet[];
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}

const OTHER_CONTENT = fault(
  'changed_meanwhile',
  'The file is not as it was shown: nothing was taken back.',
  'Look at its difference again.',
);

const NOT_RESTORED: RestoreReport = { id: null, count: 0, left: [], failed: [] };

const NO_CHECKPOINTS = fault('no_checkpoints', 'This session keeps no checkpoints of files.');
const UNKNOWN_POINT = fault('gone', 'Nothing is kept of how files were then.');
