import type { Collector } from './attachment';

/** A resumed session has a fresh shell; one that moved about before must not believe it is still elsewhere. */
export function createRestartNote(project: string, usedShell: boolean): Collector {
  let waits = usedShell;
  const text = `This session was resumed. Shell commands start in ${project} again, and background tasks from before are gone.`;
  return {
    name: 'resumed session',
    collect: () =>
      waits
        ? [
            {
              attachment: { kind: 'resumed', text },
              accept: () => {
                waits = false;
              },
            },
          ]
        : [],
  };
}
