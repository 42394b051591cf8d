import { basename } from 'node:path';
import { err, fault, ok, type Result } from '../../shared/result';
import type { Project } from '../../shared/settings';
import type { TrustStore } from '../engine/permissions/trust';
import type { Files } from '../engine/ports';
import type { Sandbox } from '../engine/ports-sandbox';
import { readGitBranch } from '../engine/prompt/git-facts';
import type { EffectiveSettings } from '../engine/settings/effective';
import { expandHome } from './folders';
import { hooksStatus } from './hooks-status';
import { sandboxStatus } from './sandbox-status';
import { changeTrusted, marksOf } from './trusted-change';

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

export interface ProjectRegistryOptions {
  readonly files: Files;
  readonly home: string;
  readonly trust: TrustStore;
  readonly loadSettings: (project: string, trusted: boolean) => Promise<EffectiveSettings>;
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
      problems: [...settings.problems],
      sandbox: await sandboxStatus(settings, options.sandbox),
      hooks: hooksStatus(settings),
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

/** A folder's real path, or in plain words why it cannot be opened. */
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
