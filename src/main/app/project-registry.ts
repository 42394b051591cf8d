import { basename, dirname, join } from 'node:path';
import type { FolderListing } from '../../shared/contract';
import { err, fault, ok, type Result } from '../../shared/result';
import type { Project, SettingsProblem } from '../../shared/settings';
import type { TrustStore } from '../engine/permissions/trust';
import type { Files } from '../engine/ports';
import type { Sandbox } from '../engine/ports-sandbox';
import { readGitBranch } from '../engine/prompt/git-facts';
import { turnsOnNothingNew } from '../engine/settings/changes';
import type { EffectiveSettings } from '../engine/settings/effective';
import { hooksStatus, sandboxStatus } from './project-status';
import { projectFacts, suggestedTasks } from './suggested-tasks';

/** The folders that are open as projects, and what applies in each. */
export interface ProjectRegistry {
  /** Opens a folder; asks again about trust when what it would turn on has changed. */
  open(path: string): Promise<Result<Project>>;
  trust(path: string, trusted: boolean): Promise<Result<Project>>;
  close(path: string): void;
  list(): readonly Project[];
  /** The settings of an open project as last read. */
  settings(path: string): EffectiveSettings | null;
  isTrusted(path: string): boolean;
  /**
   * Lets Lathe itself change a project's settings. Trust follows the change when the folder was trusted with just
   * what it held before it; what a stranger changed meanwhile is asked about.
   */
  changeSettings<T>(path: string, change: () => Promise<Result<T>>): Promise<Result<T>>;
  /** Reads a project's settings and branch again. */
  refresh(path: string): Promise<Result<Project>>;
  /** Calls back whenever what is known of a project may have changed. */
  onChanged(listener: () => void): void;
}

interface ProjectRegistryOptions {
  readonly files: Files;
  readonly home: string;
  readonly trust: TrustStore;
  readonly loadSettings: (project: string, trusted: boolean) => Promise<EffectiveSettings>;
  /** Returns what cannot be used in the agents, skills and commands that apply to a project. */
  readonly definitionProblems: (
    project: string,
    settings: EffectiveSettings,
  ) => Promise<readonly SettingsProblem[]>;
  readonly sandbox: Sandbox;
}

interface Entry {
  readonly project: Project;
  readonly settings: EffectiveSettings;
}

/** Creates an empty registry. */
export function createProjectRegistry(options: ProjectRegistryOptions): ProjectRegistry {
  const { files, trust } = options;
  const entries = new Map<string, Entry>();
  const listeners = new Set<() => void>();

  const read = async (path: string): Promise<Result<Project>> => {
    const untrusted = await options.loadSettings(path, false);
    const trusted = await trust.isTrusted(path, untrusted.findingsHash);
    const settings = trusted ? await options.loadSettings(path, true) : untrusted;
    const before = trusted ? null : await trust.remembered(path);
    const branch = await readGitBranch(files, path);
    const project: Project = {
      path,
      name: basename(path) || path,
      ...(branch === null ? {} : { branch }),
      trusted,
      ...(before === null ? {} : { changedSinceTrust: true }),
      findings: settings.findings.map((finding) =>
        before === null || before.has(finding.mark) ? finding : { ...finding, isNew: true },
      ),
      problems: [...settings.problems, ...(await options.definitionProblems(path, settings))],
      sandbox: await sandboxStatus(settings, options.sandbox),
      hooks: hooksStatus(settings),
      ...(settings.defaults === undefined ? {} : { defaults: settings.defaults }),
      suggestions: suggestedTasks(await projectFacts(files, path)),
    };
    entries.set(path, { project, settings });
    for (const listener of listeners) listener();
    return ok(project);
  };

  const open = async (asked: string): Promise<Result<Project>> => {
    const folder = await resolveFolder(files, expandHome(asked, options.home));
    return folder.ok ? read(folder.value) : folder;
  };

  return {
    open,
    trust: async (asked, trusted) => {
      // What was shown is what is trusted: a folder that changed meanwhile is asked about again.
      const shown = entries.get(asked)?.project;
      const opened = shown ? ok(shown) : await open(asked);
      if (!opened.ok) return opened;
      const { path } = opened.value;
      const { findingsHash = '', findings = [] } = entries.get(path)?.settings ?? {};
      const saved = await trust.set(path, trusted ? findingsHash : null, marksOf(findings));
      return saved.ok ? read(path) : saved;
    },
    close: (path) => {
      entries.delete(path);
    },
    list: () => [...entries.values()].map((entry) => entry.project),
    settings: (path) => entries.get(path)?.settings ?? null,
    changeSettings: async (path, change) => {
      const untrusted = () => options.loadSettings(path, false);
      const changed = await changeTrusted(path, change, { trust, untrusted });
      await read(path);
      return changed;
    },
    isTrusted: (path) => entries.get(path)?.project.trusted ?? false,
    refresh: read,
    onChanged: (listener) => {
      listeners.add(listener);
    },
  };
}

/** Returns a folder's real path, or in plain words why it cannot be opened. */
export async function resolveFolder(files: Files, path: string): Promise<Result<string>> {
  const real = await files.realPath(path);
  if (!real.ok) return err(fault(real.error.code, real.error.message));
  const stat = await files.stat(real.value);
  if (!stat.ok) {
    const fix = stat.error.code === 'denied' ? 'Check its permissions.' : 'Check the path.';
    return err(fault(stat.error.code, stat.error.message, fix));
  }
  if (stat.value.kind !== 'directory') {
    return err(fault('not_directory', `${path} is a file, not a folder.`, 'Choose its folder.'));
  }
  const readable = await files.list(real.value);
  return readable.ok
    ? ok(real.value)
    : err(fault(readable.error.code, readable.error.message, 'Check its permissions.'));
}

/** The most folders that are listed: nobody scrolls further, and typing finds the rest. */
const MAX_FOLDERS = 2000;

/** Files whose presence suggests that a folder is a project. */
const PROJECT_MARKS = new Set([
  '.git',
  'package.json',
  'pyproject.toml',
  'Cargo.toml',
  'go.mod',
  'pom.xml',
  'build.gradle',
  'Makefile',
  'CMakeLists.txt',
  'Gemfile',
  'composer.json',
  'deno.json',
  'CLAUDE.md',
  'AGENTS.md',
]);

/** Expands `~` and `~/x` as the shell does; leaves everything else unchanged. */
export const expandHome = (path: string, home: string): string =>
  path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;

/** Lists the folders in a folder, links to folders included, sorted by name with hidden ones last. */
export async function listFolder(files: Files, path: string): Promise<Result<FolderListing>> {
  const entries = await files.list(path);
  if (!entries.ok) return err(fault(entries.error.code, entries.error.message, 'Choose another.'));
  const folders = await Promise.all(
    entries.value.map(async (entry) => {
      const full = join(path, entry.name);
      const isFolder =
        entry.kind === 'directory' || (entry.kind === 'link' && (await leadsToFolder(files, full)));
      return isFolder ? { name: entry.name, path: full, hidden: entry.name.startsWith('.') } : null;
    }),
  );
  const parent = dirname(path);
  return ok({
    path,
    parent: parent === path ? null : parent,
    folders: folders
      .filter((folder) => folder !== null)
      .toSorted((a, b) => Number(a.hidden) - Number(b.hidden) || a.name.localeCompare(b.name, 'en'))
      .slice(0, MAX_FOLDERS),
    looksLikeProject: entries.value.some((entry) => PROJECT_MARKS.has(entry.name)),
  });
}

async function leadsToFolder(files: Files, path: string): Promise<boolean> {
  const stat = await files.stat(path);
  return stat.ok && stat.value.kind === 'directory';
}

/** The services a change of a folder's settings needs. */
interface TrustedChange {
  readonly trust: TrustStore;
  /** Reads the settings of the folder as if nobody trusted it. */
  readonly untrusted: () => Promise<EffectiveSettings>;
}

/**
 * Lets Lathe itself change the settings of a folder (a real path). Trust follows the change when the folder was trusted
 * with just what it held before it; what a stranger changed meanwhile is asked about.
 */
export async function changeTrusted<T>(
  folder: string,
  change: () => Promise<Result<T>>,
  { trust, untrusted }: TrustedChange,
): Promise<Result<T>> {
  const before = await untrusted();
  const wasTrusted = await trust.isTrusted(folder, before.findingsHash);
  const changed = await change();
  if (changed.ok && wasTrusted) {
    const after = await untrusted();
    if (turnsOnNothingNew(before, after)) {
      await trust.set(folder, after.findingsHash, marksOf(after.findings));
    }
  }
  return changed;
}

/** Returns the marks of findings, in a fixed order. */
const marksOf = (findings: EffectiveSettings['findings']): readonly string[] =>
  findings.map(({ mark }) => mark).sort();
