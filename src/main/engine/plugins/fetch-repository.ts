import { dirname } from 'node:path';
import { err, fault, ok } from '../../../shared/result';
import type { Files, Programs } from '../ports';
import { SAFE_GIT } from '../prompt/git-facts';
import type { FetchRepository } from './plugin-store';

/** Milliseconds. */
const CLONE_MS = 300_000;

/** Creates what fetches repositories by git. Nothing of a repository runs: no hooks, no submodules, no other transports. */
export const createRepositoryFetch =
  (files: Pick<Files, 'makeDirectory'>, programs: Pick<Programs, 'run'>): FetchRepository =>
  async ({ url, ref }, folder) => {
    const made = await files.makeDirectory(dirname(folder));
    if (!made.ok) return err(fault(made.error.code, made.error.message));
    const argv = [
      ...SAFE_GIT,
      ...[
        '-c',
        'protocol.ext.allow=never',
        '-c',
        'core.askPass=',
        '-c',
        'credential.interactive=false',
      ],
      ...['clone', '-q', '--depth', '1', '--no-tags', '--no-recurse-submodules'],
      ...(ref === undefined ? [] : ['--branch', ref]),
      ...['--', url, folder],
    ];
    const ran = await programs.run(argv, {
      cwd: dirname(folder),
      maxBytes: 1_000_000,
      timeoutMs: CLONE_MS,
      env: { GIT_TERMINAL_PROMPT: '0' },
    });
    if (!ran.ok) return err(fault('no_git', `git: ${ran.error.message}`));
    const { exitCode, stderr } = ran.value;
    if (exitCode === 0) return ok(null);
    const why = stderr.trim().slice(0, 500) || `git ended with ${exitCode}`;
    return err(fault('not_fetched', `${url} could not be fetched: ${why}`, 'Check the address.'));
  };
