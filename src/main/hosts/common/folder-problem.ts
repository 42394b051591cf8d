import { access, constants, stat } from 'node:fs/promises';
import { type Fault, fault } from '../../../shared/result';

/** Why a folder named on the command line cannot be opened; null when it can. */
export async function folderProblem(folder: string): Promise<Fault | null> {
  try {
    const info = await stat(folder);
    if (!info.isDirectory()) return fault('not_directory', `${folder} is not a folder.`);
    await access(folder, constants.R_OK | constants.X_OK);
    return null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    return code === 'EACCES'
      ? fault('denied', `${folder} cannot be read.`, 'Check its permissions.')
      : fault('not_found', `${folder} does not exist.`, 'Check the path.');
  }
}
