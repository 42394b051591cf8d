import type { LoadedMemoryFile, MemoryOverview, MemoryPlace } from '../../shared/memory';
import { err, fault, ok, type Result } from '../../shared/result';
import { textTokens } from '../engine/context/tokens';
import type { Clock, Files } from '../engine/ports';
import { loadMemory } from '../engine/prompt/memory-files';
import { memoryPlaces } from '../engine/prompt/memory-places';
import { ageOf, createNoteList } from '../engine/prompt/notes';
import { approvedImports, approveImport } from '../engine/prompt/outside-imports';
import { memoryFileOf, remember } from '../engine/prompt/remember';
import { UNTRUSTED } from '../engine/session/overlay';
import type { EffectiveSettings } from '../engine/settings/effective';

/** Shows what sessions begin with, and adds to it for a user. */
export interface MemoryService {
  list(project: string): Promise<Result<MemoryOverview>>;
  /** Adds a memory at the end of a place's file and returns the file. */
  add(project: string, place: MemoryPlace, text: string): Promise<Result<string>>;
  /** Lets a project import a file from outside of it, or no longer. */
  allowImport(project: string, path: string, allowed: boolean): Promise<Result<null>>;
}

export interface MemoryServiceOptions {
  readonly services: {
    readonly files: Files;
    readonly clock: Pick<Clock, 'date'>;
    readonly home: string;
    readonly latheHome: string;
    readonly configDir: string;
    readonly managedMemory: string | null;
  };
  /** The settings of an open project; null for one that is not open. */
  readonly settings: (project: string) => EffectiveSettings | null;
}

/** Creates the service. */
export function createMemoryService({ services, settings }: MemoryServiceOptions): MemoryService {
  const { files, latheHome, configDir } = services;
  const overview = async (
    project: string,
    {
      trusted,
      sources,
      rules,
      autoMemory,
      simple,
      memoryExcludes: excludes = [],
    }: EffectiveSettings,
  ): Promise<MemoryOverview> => {
    const approved = () => approvedImports(files, latheHome, project);
    const places = memoryPlaces(services, project, {
      includeProject: trusted,
      sources,
      excludes,
      rules,
      autoMemory,
      simple,
      approved,
    });
    const loaded = await loadMemory(files, places);
    const notes = await createNoteList(files, () => places)();
    const now = services.clock.date();
    const { waiting = [], excluded = [], outside = [] } = loaded;
    const where = { project, userFolder: configDir };
    const fileOf = (place: MemoryPlace) => memoryFileOf(files, where, place);
    return {
      files: [
        ...loaded.files.map(({ text, ...file }) => ({ ...file, tokens: textTokens(text) })),
        ...waiting.map(
          ({ path, kind, globs, body }): LoadedMemoryFile => ({
            ...{ path, kind, globs, tokens: textTokens(body) },
          }),
        ),
      ],
      notes: notes.map(({ path, description, savedAt, size }) => ({
        ...{ path, description, size },
        age: ageOf(savedAt, now),
      })),
      leftOut: [
        ...loaded.problems,
        ...excluded.map((file) => ({
          ...{ file, field: 'claudeMdExcludes', level: 'warning' as const },
          message: `${file}: left out: claudeMdExcludes in settings names it.`,
        })),
      ],
      outside: distinct(outside),
      places: {
        project: await fileOf('project'),
        local: await fileOf('local'),
        user: await fileOf('user'),
      },
    };
  };
  return {
    list: async (project) => {
      const found = settings(project);
      return found === null ? err(NO_PROJECT) : ok(await overview(project, found));
    },
    add: async (project, place, text) => {
      const found = settings(project);
      if (found === null) return err(NO_PROJECT);
      if (place !== 'user' && !found.trusted) return err(UNTRUSTED);
      return remember(files, { project, userFolder: configDir }, place, text);
    },
    allowImport: async (project, path, allowed) => {
      const found = settings(project);
      if (found === null) return err(NO_PROJECT);
      if (!found.trusted) return err(UNTRUSTED);
      const { outside } = await overview(project, found);
      // Only what a memory file names: no page says which files are read.
      if (allowed && !outside.some((one) => one.path === path)) return err(NOT_IMPORTED);
      return approveImport(files, latheHome, { project, path, allowed });
    },
  };
}

/** Returns each file once, whoever imports it. */
const distinct = (outside: MemoryOverview['outside']): MemoryOverview['outside'] => [
  ...new Map(outside.map((one) => [one.path, one])).values(),
];

const NO_PROJECT = fault('not_open', 'That folder is not open.', 'Open it first.');
const NOT_IMPORTED = fault('not_imported', 'No memory file of this project imports that file.');
