import type { PermissionRequest } from '../../../permissions/request';

/** The permission of a tool that changes nothing outside Lathe: rules still apply, nobody is asked without one. */
export const ownRequest = (tool: string): PermissionRequest => ({
  kind: 'tool',
  tool,
  readOnly: true,
});
