import { linuxProcesses } from './linux-processes';
import type { ProcessTable } from './process-table';
import { psProcesses } from './ps-processes';
import { windowsProcesses } from './windows-processes';

/** The process table of the system we run on. */
export function systemProcesses(platform: NodeJS.Platform = process.platform): ProcessTable {
  if (platform === 'linux') return linuxProcesses();
  return platform === 'win32' ? windowsProcesses() : psProcesses();
}
