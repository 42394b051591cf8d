import type { PermissionRule } from '../../../shared/permission';
import type { NoteSettings } from './auto-memory';

/** The folders and settings by which the memory of a project is found. */
export interface MemoryPlaces {
  /** The managed file of this platform; absent: none. */
  readonly managedFile?: string;
  /** `~/.claude`, or `CLAUDE_CONFIG_DIR`. */
  readonly userFolder: string;
  readonly home: string;
  readonly cwd: string;
  /** False until the folder is trusted: then only managed and user files load. */
  readonly includeProject: boolean;
  /** The places that count beside the managed file. Absent: all. */
  readonly sources?: readonly ('user' | 'project' | 'local')[] | undefined;
  /** The rules of permissions: what they let nobody read unasked, no file imports. Absent: none. */
  readonly rules?: readonly PermissionRule[] | undefined;
  /** Globs of files that do not count, managed ones excepted. Absent: none. */
  readonly excludes?: readonly string[] | undefined;
  /** False: notes of agents do not count. */
  readonly autoMemory?: boolean | undefined;
  /** True: nor do they in a session with few words. */
  readonly simple?: boolean | undefined;
  /** Returns the files outside the project that the user lets it import, by their real paths. Absent: none. */
  readonly approved?: (() => Promise<ReadonlySet<string>>) | undefined;
}

/** Returns the places at which the memory of a project is looked for. Pure. */
export const memoryPlaces = (
  services: {
    readonly home: string;
    readonly configDir: string;
    readonly managedMemory: string | null;
  },
  cwd: string,
  chosen: Pick<
    MemoryPlaces,
    'includeProject' | 'excludes' | 'rules' | 'approved' | keyof NoteSettings
  >,
): MemoryPlaces => ({
  cwd,
  home: services.home,
  userFolder: services.configDir,
  ...(services.managedMemory === null ? {} : { managedFile: services.managedMemory }),
  ...chosen,
});
