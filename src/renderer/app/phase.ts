import type { Fault } from '../../shared/result';
import type { Project } from '../../shared/settings';
import { currentProject, type Screen } from '../store/screen';

/** What the window as a whole shows. */
export type Phase =
  /** Nothing is known yet; `trouble` says why it takes longer. */
  | { readonly kind: 'starting'; readonly trouble: Fault | null }
  /** The host does not admit this page. */
  | { readonly kind: 'refused'; readonly fault: Fault }
  | { readonly kind: 'folder' }
  | { readonly kind: 'trust'; readonly project: Project }
  | { readonly kind: 'connect'; readonly project: Project }
  | { readonly kind: 'workbench'; readonly project: Project };

/** Decides what to show: folder, then trust, then connection, then the workbench. */
export function phaseOf(screen: Screen): Phase {
  const { app, link } = screen;
  if (link.kind === 'refused') return { kind: 'refused', fault: link.fault };
  if (app === null || screen.info === null) {
    return { kind: 'starting', trouble: link.kind === 'lost' ? link.fault : null };
  }
  const project = currentProject(screen);
  if (project === null && screen.restoring) return { kind: 'starting', trouble: null };
  if (project === null) return { kind: 'folder' };
  if (!project.trusted && !screen.untrusted.includes(project.path)) {
    return { kind: 'trust', project };
  }
  const needsConnection = app.connection.kind === 'none' || screen.wantsDemo;
  return needsConnection ? { kind: 'connect', project } : { kind: 'workbench', project };
}
