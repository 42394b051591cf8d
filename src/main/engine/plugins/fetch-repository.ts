import { dirname } from 'node:path';
import { err, fault, ok } from '../../../shared/result';
import type { Files, Programs } from '../ports';
import { SAFE_GIT } from '../prompt/git-facts';
import { withShownAddresses } from '../settings/shown-server';
import type { FetchRepository } from './plugin-store';

/** Milliseconds. */
export const CLONE_MS = 300_000;
/** More of what git says is not looked at. Characters. */
const MAX_SAID = 8_000;

/** Creates what fetches repositories by git. Nothing of a repository runs: no hooks, no submodules, no other transports. */
export const createRepositoryFetch =
  (files: Pick<Files, 'makeDirectory'>, programs: Pick<Programs, 'run'>): FetchRepository =>
  async ({ url, ref }, folder, signal) => {
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
    const options = {
      cwd: dirname(folder),
      maxBytes: 1_000_000,
      timeoutMs: CLONE_MS,
      env: { GIT_TERMINAL_PROMPT: '0' },
      // What speaks to the server is a program of its own. Without a signal, Ctrl-C has to reach all of them.
      ...(signal === undefined ? {} : { asGroup: true as const }),
    };
    const ran = await programs.run(argv, options, signal);
    if (!ran.ok) return err(fault('no_git', `git: ${ran.error.message}`));
    const { exitCode, stderr } = ran.value;
    if (exitCode === 0) return ok(null);
    const said = withShownAddresses(stderr.trim().slice(0, MAX_SAID)).slice(0, 500);
    const why = said || `git ended with ${exitCode}`;
    const address = withShownAddresses(url);
    return err(
      fault('not_fetched', `${address} could not be fetched: ${why}`, 'Check the address.'),
    );
  };
