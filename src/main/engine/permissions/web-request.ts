import type { PermissionRule } from '../../../shared/permission';
import { isPrivateHost } from './private-host';
import type { PermissionRequest } from './request';

/** The permission that reading a web address needs. Its rules are `domain:<host>`: lower case, without port. */
export function webRequest(tool: string, url: URL): PermissionRequest {
  const host = hostOf(url);
  return {
    kind: 'tool',
    tool,
    specifier: `domain:${host}`,
    readOnly: true,
    sends: true,
    ...(isPrivateHost(host) ? { exactOnly: `${host} is on this machine or its network` } : {}),
    params: { url: url.href },
  };
}

/** The host of a URL as rules name it: `x.io.` is `x.io`. */
export const hostOf = (url: URL): string => url.hostname.toLowerCase().replace(/\.$/, '');

/** Whether an allow rule names this very host: somebody wrote it down, so it may be one of the local network. */
export const namesHost = (rules: readonly PermissionRule[], host: string): boolean =>
  rules.some(
    ({ behavior, text }) =>
      behavior === 'allow' && text.toLowerCase() === `webfetch(domain:${host})`,
  );
