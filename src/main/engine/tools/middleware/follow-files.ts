import type { CallMiddleware } from './call-middleware';

/** Hears of the files that calls use, so that language servers know them as they are. Nothing here rejects. */
export interface FileFollower {
  /** Takes in a file as it is before a call changes it; null: there is nothing to wait for. */
  before(path: string): Promise<void> | null;
  /** Takes note that a call has read or changed a file. Returns at once. */
  used(path: string, access: 'read' | 'edit'): void;
}

/** Tells of the files that each call reads and changes, by their real paths; does nothing without a follower. */
export const followFiles =
  (follower: FileFollower | undefined): CallMiddleware =>
  async (call, next) => {
    if (follower === undefined) return next(call);
    const files = call.decided.flatMap((request) => (request.kind === 'file' ? [request] : []));
    const edited = files.filter(({ access }) => access === 'edit');
    await Promise.all(edited.map(({ realPath }) => follower.before(realPath)));
    const outcome = await next(call);
    if (outcome.kind === 'done')
      for (const { realPath, access } of files) follower.used(realPath, access);
    return outcome;
  };
