import http from 'node:http';

type Env = Readonly<Record<string, string | undefined>>;

/** Where requests go through, in the words Node's own proxy support takes. */
export interface ProxySettings {
  readonly http_proxy?: string;
  readonly https_proxy?: string;
  /** Hosts reached directly, separated by commas. */
  readonly no_proxy: string;
}

/** A proxy elsewhere cannot reach this machine, where local model servers live; one that runs here can. */
const THIS_MACHINE = ['localhost', '127.0.0.1', '::1'];

/**
 * Reads the proxy variables: `https_proxy` before `HTTPS_PROXY`, then `http_proxy`, `HTTP_PROXY`; what is not an
 * http(s) address (SOCKS, nonsense) is left out. `NO_PROXY` may use commas or spaces; `*` means no proxy at all.
 * Null when none applies. Pure.
 */
export function proxySettings(env: Env): ProxySettings | null {
  const usable = (...names: readonly string[]) =>
    names.map((name) => env[name]?.trim() ?? '').find((value) => /^https?:\/\/./i.test(value));
  const plain = usable('http_proxy', 'HTTP_PROXY');
  const secure = usable('https_proxy', 'HTTPS_PROXY') ?? plain;
  const direct = (env['no_proxy'] || env['NO_PROXY'] || '').split(/[\s,]+/).filter((h) => h !== '');
  if ((plain === undefined && secure === undefined) || direct.includes('*')) return null;
  const runsHere = [plain, secure].every((proxy) => proxy === undefined || isHere(proxy));
  return {
    ...(plain === undefined ? {} : { http_proxy: plain }),
    ...(secure === undefined ? {} : { https_proxy: secure }),
    no_proxy: [...new Set([...direct, ...(runsHere ? [] : THIS_MACHINE)])].join(','),
  };
}

const isHere = (proxy: string): boolean =>
  URL.canParse(proxy) && THIS_MACHINE.includes(new URL(proxy).hostname.replace(/^\[|\]$/g, ''));

/**
 * Sends this process's requests through the proxy of the environment, with Node's own support; gives a function
 * that undoes it. Custom certificates need nothing here: Node reads `NODE_EXTRA_CA_CERTS` itself. Null when a
 * proxy is set that this Node cannot use.
 */
export function useProxy(env: Env): (() => void) | null {
  const settings = proxySettings(env);
  if (settings === null) return () => {};
  const set: unknown = Reflect.get(http, 'setGlobalProxyFromEnv');
  if (typeof set !== 'function') return null;
  const undo: unknown = set({ ...settings });
  return () => {
    if (typeof undo === 'function') undo();
  };
}

/** Whether a request to this address goes through the proxy of the environment. Pure. */
export function goesThroughProxy(env: Env, url: URL): boolean {
  const settings = proxySettings(env);
  if (settings === null) return false;
  const used = url.protocol === 'https:' ? settings.https_proxy : settings.http_proxy;
  return used !== undefined && !settings.no_proxy.split(',').some((rule) => isDirect(rule, url));
}

/** One entry of `NO_PROXY`: a host, a domain with what is under it, with or without a port. */
function isDirect(rule: string, url: URL): boolean {
  const [, name = '', port = ''] = /^(.*?)(?::(\d+))?$/.exec(rule.toLowerCase()) ?? [];
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, '');
  if (rule === host) return true;
  const bare = name.replace(/^\*?\./, '');
  const own = url.port || (url.protocol === 'https:' ? '443' : '80');
  return (port === '' || port === own) && (host === bare || host.endsWith(`.${bare}`));
}
