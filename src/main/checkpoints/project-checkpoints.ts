import type { Stats } from 'node:fs';
import { err, fault, ok, type Result } from '../../shared/result';
import type {
  ChangeSet,
  CheckpointScope,
  FileChange,
  FileState,
  OpenCheckpoint,
  ProjectCheckpoints,
} from '../engine/ports-checkpoints';
import { blobId, type GitStore, type StoreWriter } from './git-store';
import type { OpenMarks } from './open-marks';
import { putBack } from './put-back';
import { type CheckpointLimits, createRecorder, SLICE_MS } from './record-changes';
import {
  absolute,
  type FileTable,
  hasName,
  isSame,
  keyOf,
  newScanMemory,
  type ScanResult,
  scanProject,
  statIn,
  TooManyPaths,
  withParents,
} from './scan';
import type { StoreLease } from './store-lease';
import type { TableFile } from './table-file';
import { joined, note, olderThan, type WideCheckpoint } from './wide-checkpoint';

const CHECKPOINT_LIMITS: CheckpointLimits = {
  maxFileBytes: 32 * 1024 * 1024,
  maxNewBytes: 2 * 1024 * 1024 * 1024,
  maxPaths: 200_000,
};

const DAY_MS = 24 * 60 * 60 * 1000;

export interface ProjectOptions {
  /** A real path. */
  readonly root: string;
  readonly store: GitStore;
  readonly tableFile: TableFile;
  readonly lease: StoreLease;
  readonly marks: OpenMarks;
  readonly limits?: CheckpointLimits;
  /** Names that differ by case alone name one file. */
  readonly caseInsensitive: boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Creates the checkpoints of one project. Its acts run one after another. */
export function createProjectCheckpoints(options: ProjectOptions): ProjectCheckpoints {
  const { root, store, tableFile, lease, marks, now, limits = CHECKPOINT_LIMITS } = options;
  const memory = newScanMemory(options.caseInsensitive);
  const wide = new Set<WideCheckpoint>();
  let table: FileTable | null = null;
  /** The project has too many paths, which is not tried again at every call. */
  let tooLarge = false;
  /** Bytes that were added since the store was pruned, as far as this process knows. */
  let added = 0;
  const record = createRecorder({
    ...{ root, store, tableFile, limits, now },
    added: (bytes) => {
      added += bytes;
    },
  });
  let prunedAt: number | null = null;
  let line: Promise<unknown> = Promise.resolve();

  const pruned = async () => {
    prunedAt = now();
    added = 0;
    await tableFile.setPruned(prunedAt);
  };

  /** Runs an act when those before it have ended, over the table. Never rejects. */
  const inTurn = <T>(act: (table: FileTable) => Promise<Result<T>>): Promise<Result<T>> => {
    const mine = line.then(async (): Promise<Result<T>> => {
      try {
        if (table === null) {
          const opened = await store.open();
          if (!opened.ok) return opened;
          const leased = await lease.take();
          if (!leased.ok) return leased;
          table = await tableFile.load();
        }
        return await act(table);
      } catch (thrown) {
        tooLarge ||= thrown instanceof TooManyPaths;
        return err(thrown instanceof TooManyPaths ? tooMany(limits.maxPaths) : unexpected(thrown));
      }
    });
    line = mine;
    return mine;
  };

  /** Looks at named paths, as a scan does. Every folder above one is looked at too: a call may make it. */
  const lookAt = (paths: readonly string[], known: FileTable, alone = false): ScanResult => {
    const touched = new Map<string, Stats>();
    const gone = new Set<string>();
    const all = alone ? new Set(paths) : withParents(paths);
    const statAt = statIn(root);
    for (const path of all) {
      const there = statAt(path);
      const before = known.get(path);
      if (there === undefined || (options.caseInsensitive && !hasName(absolute(root, path)))) {
        if (before !== undefined) gone.add(path);
      } else if (before === undefined || !isSame(before, there)) touched.set(path, there);
    }
    return { touched, gone, uncovered: new Set(), rulesChanged: false };
  };

  const scan = async (scope: CheckpointScope, known: FileTable): Promise<ScanResult> => {
    if (scope === 'all' && tooLarge) throw new TooManyPaths();
    return scope === 'all'
      ? scanProject(root, known, memory, { maxPaths: limits.maxPaths, sliceMs: SLICE_MS, now })
      : Promise.resolve(
          lookAt(
            scope.map((path) => keyOf(root, path)),
            known,
          ),
        );
  };

  /** Brings the table up to date; whatever runs wide is told, for it may have done it. */
  const absorb = async (found: ScanResult, known: FileTable, named: boolean) => {
    const taken = await record(found, known, named, async () => {});
    if (taken.ok) note(taken.value, wide);
    return taken;
  };

  const keep =
    (id: string, uncertain: boolean) =>
    async (changes: readonly FileChange[], writer: () => StoreWriter): Promise<void> => {
      if (changes.length === 0) return;
      const changeSet: ChangeSet = { changes, uncertain };
      const blobs = changes.flatMap(({ before, after }) => [...blobsOf(before), ...blobsOf(after)]);
      await writer().commit(id, JSON.stringify(changeSet), blobs, now());
    };

  const begin: ProjectCheckpoints['begin'] = (scope, uncertain = false, mark) =>
    inTurn(async (known) => {
      const isWide = scope === 'all';
      const taken = await absorb(await scan(scope, known), known, !isWide);
      if (!taken.ok) return taken;
      const openedAt = now();
      const own: WideCheckpoint = {
        found: new Map(),
        background: uncertain,
        uncertain,
      };
      if (isWide) {
        const beside = [...wide].filter(({ background }) => !background);
        if (!own.background && beside.length > 0) {
          for (const one of [...beside, own]) one.uncertain = true;
        }
        wide.add(own);
      }
      const unmark = mark === undefined ? () => {} : marks.put(mark);
      const open: OpenCheckpoint = {
        end: (id) => finish(id, scope, own, openedAt).finally(unmark),
      };
      return ok(open);
    });

  const finish = (
    id: string,
    scope: CheckpointScope,
    own: WideCheckpoint,
    openedAt: number,
  ): Promise<Result<ChangeSet | null>> =>
    inTurn(async (known) => {
      wide.delete(own);
      const found = await scan(scope, known);
      if (found.rulesChanged) await absorb(olderThan(found, openedAt, known), known, false);
      let changes: readonly FileChange[] = [];
      const taken = await record(found, known, scope !== 'all', async (fresh, writer) => {
        changes = joined(own.found, fresh, known);
        await keep(id, own.uncertain)(changes, writer);
      });
      if (!taken.ok) return taken;
      return ok(changes.length === 0 ? null : { changes, uncertain: own.uncertain });
    });

  const look: ProjectCheckpoints['look'] = (paths) =>
    inTurn(async (known) => {
      const taken = await absorb(lookAt(paths, known, true), known, true);
      if (!taken.ok) return taken;
      return ok(new Map(paths.map((path) => [path, known.get(path)?.state ?? null])));
    });

  return {
    recover: (session, id) =>
      inTurn(async (known) => {
        const mark = marks.left(session).at(-1);
        // Without an earlier look everything would count as changed.
        const isNothing = mark === undefined || known.size === 0;
        const found = await scan('all', known);
        const taken = await record(
          found,
          known,
          false,
          isNothing ? async () => {} : keep(id, true),
        );
        if (!taken.ok) return taken;
        note(taken.value, wide);
        marks.clear(session);
        if (isNothing || taken.value.length === 0) return ok(null);
        return ok({ mark, changeSet: { changes: taken.value, uncertain: true } });
      }),
    begin,
    look,
    load: (ids) =>
      inTurn(async () => {
        const texts = await store.texts(ids);
        if (!texts.ok) return texts;
        const found = ids.flatMap((id) => texts.value.get(id) ?? []);
        if (found.length < ids.length) return err(NOT_KEPT);
        return ok(found.map((text) => JSON.parse(text) as ChangeSet));
      }),
    keep: (bytes) =>
      inTurn(async () => {
        const writer = store.write();
        await writer.blob(bytes);
        const written = await writer.end();
        return written.ok ? ok(blobId(bytes)) : written;
      }),
    restore: (id, targets, mark) =>
      inTurn(async (known) => {
        const paths = targets.map(({ path }) => path);
        const taken = await absorb(lookAt(paths, known), known, true);
        if (!taken.ok) return taken;
        const unmark = mark === undefined ? () => {} : marks.put(mark);
        const failed = await putBack(root, targets, (blobs, onBlob) =>
          store.read(blobs, onBlob, Number.POSITIVE_INFINITY),
        );
        let changes: readonly FileChange[] = [];
        const after = await record(lookAt(paths, known), known, true, async (made, writer) => {
          changes = made;
          await keep(id, false)(made, writer);
        });
        unmark();
        return after.ok ? ok({ changeSet: { changes, uncertain: false }, failed }) : after;
      }),
    prune: ({ days, bytes }) =>
      inTurn(async (known) => {
        prunedAt ??= await tableFile.prunedAt();
        // What the first look kept is no reason to look for more room.
        if (prunedAt === 0) await pruned();
        if (now() < prunedAt + DAY_MS && added < bytes / 4) return ok([]);
        const base = new Set([...known.values()].flatMap(({ state }) => blobsOf(state)));
        for (const { found } of wide) {
          for (const state of found.values()) for (const blob of blobsOf(state)) base.add(blob);
        }
        const limits = { maxBytes: bytes, from: now() - days * DAY_MS };
        const gone = await lease.alone(() => store.prune(limits, base));
        if (gone === null || !gone.ok) return gone ?? ok([]);
        await pruned();
        return gone;
      }),
    contents: (blobs, maxBytes) =>
      inTurn(async () => {
        const found = new Map<string, Uint8Array>();
        const read = await store.read(
          [...new Set(blobs)],
          (blob, bytes) => void found.set(blob, Uint8Array.from(bytes)),
          maxBytes,
        );
        return read.ok ? ok(found) : read;
      }),
  };
}

const blobsOf = (state: FileState | null): readonly string[] =>
  state?.kind === 'file' && state.blob !== null ? [state.blob] : [];

const NOT_KEPT = fault(
  'gone',
  'Files can no longer be taken back so far: a checkpoint on the way is no longer kept.',
  'Go back to a later prompt. `checkpointDays` and `checkpointMegabytes` in settings say how long and how much is kept.',
);

const tooMany = (most: number) =>
  fault(
    'too_many_files',
    `This folder has more than ${most} files: what commands change here cannot be undone.`,
    'Name folders that need no undo in .gitignore, or open a smaller folder.',
  );

const unexpected = (thrown: unknown) =>
  fault('checkpoint_failed', `The checkpoint could not be kept: ${String(thrown)}`);
