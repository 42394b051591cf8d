import type { Result } from '../../../shared/result';
import type {
  DrivingProgram,
  HeadlessOptions,
  HeadlessSession,
  InstallPlugins,
} from '../../app/headless-session';
import type { HeadlessParts } from './in-session';
import type { Printer } from './printer';

/**
 * Opens a session. Where who started the run asked for it, what settings turn on and is not there yet is installed first,
 * and told of line by line. Null: the run was ended meanwhile.
 */
export async function openInstalled(
  options: HeadlessOptions,
  program: DrivingProgram | undefined,
  {
    installs,
    open,
    complain,
    uuid,
    ending,
  }: Pick<HeadlessParts, 'installs' | 'open' | 'complain' | 'uuid' | 'ending'>,
  printer: Pick<Printer, 'control'>,
): Promise<Result<HeadlessSession> | null> {
  if (installs === undefined) return open(options, program);
  let printing = Promise.resolve();
  const tell: Parameters<InstallPlugins>[1] = (report, sessionId) => {
    const { isTold, ...fields } = { isTold: false, ...report };
    const stamp = { uuid: uuid(), session_id: sessionId };
    const line = { type: 'system', subtype: 'plugin_install', ...fields, ...stamp };
    printing = printing.then(() => printer.control(line)).catch(() => {});
    if (report.status === 'failed' && !isTold && !ending.aborted)
      complain(`Warning: ${report.name} could not be installed: ${report.error}`);
  };
  const found = await installs(options, tell, ending);
  await printing;
  return ending.aborted ? null : open(found, program);
}
