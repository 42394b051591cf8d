import type { SettingPlaces } from './effective';
import type { Plugin } from './plugins/read-plugin';
import type { SkillOverrides } from './skill-overrides';

/** The folders that define things: agents, skills, commands. */
export interface DefinitionPlaces {
  /** The project folder, as a real path. */
  readonly project: string;
  /** `~/.claude` or what stands for it. */
  readonly userFolder: string;
  /** The managed CLAUDE.md, beside which managed definitions are; null: none. */
  readonly managedFile: string | null;
  /** False until the folder is trusted: then nothing of it counts. */
  readonly includeProject: boolean;
  /** False where managed settings leave out what the user has. Absent: true. */
  readonly includeUser?: boolean;
  /** Folders below the project in which files were read: their skills count too. Absolute. */
  readonly nested?: readonly string[];
  readonly plugins?: readonly Plugin[];
  readonly skillOverrides?: SkillOverrides;
  /** The places of settings that name something, such as a skill. */
  readonly settingPlaces?: SettingPlaces;
  /** False where a session goes without files of this kind. */
  readonly includeFiles: boolean;
}

/** Larger files define no skill or command. Bytes. */
export const MAX_SKILL_BYTES = 1024 * 1024;

/** Looks at files, one look at a time. */
export interface Look {
  /** Looks at the files again; those that did not change are not read. Never rejects. */
  refresh(): Promise<void>;
  /** Resolves when no look is under way; null when none is. */
  settled(): Promise<void> | null;
}

/** Runs a look at files one at a time: who asks while one runs waits for one that begins after it. */
export function createLook(look: () => Promise<void>): Look {
  let running: Promise<void> | null = null;
  let waits = false;
  const lookOnce = async (before: Promise<void> | null) => {
    await before;
    waits = false;
    // A disk that fails leaves what was known.
    await look().catch(() => {});
    if (!waits) running = null;
  };
  return {
    refresh: () => {
      if (waits && running !== null) return running;
      waits = true;
      running = lookOnce(running);
      return running;
    },
    settled: () => running,
  };
}

/** Tells whether a model can be asked for by that name. */
export type IsModel = (name: string) => boolean;
