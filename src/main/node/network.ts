import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import tls from 'node:tls';
import { err, ok, type Result } from '../../shared/result';
import type { SettingsProblem } from '../../shared/settings';

type Env = Readonly<Record<string, string | undefined>>;

/** Node's codes for a certificate that nobody it trusts has signed. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Tells whether a connection failed because the server's certificate is not trusted. */
const isUntrusted = (cause: unknown): boolean =>
  cause instanceof Error && UNTRUSTED.has(String(Reflect.get(cause, 'code')));

/**
 * Reads `CLAUDE_CODE_CERT_STORE`: which certificates are trusted beside `NODE_EXTRA_CA_CERTS`, those that come with
 * Node, those of the system, or (the default) both. Leaves out words it does not know. Pure.
 */
export function certificateStores(env: Env): ReadonlySet<'bundled' | 'system'> {
  const named = (env['CLAUDE_CODE_CERT_STORE'] ?? '').toLowerCase().split(/[\s,]+/);
  const known = (['bundled', 'system'] as const).filter((store) => named.includes(store));
  return new Set(known.length === 0 ? ['bundled', 'system'] : known);
}

/** Trusts more after a connection failed, where that may help; true when the same request may succeed now. */
export type TrustMore = (cause: unknown) => boolean;

/** Creates the step that trusts the system's certificates as soon as Node's own are not enough, where the environment lets it. */
export function createTrustMore(env: Env): TrustMore {
  let trusts = certificateStores(env).has('system') ? null : false;
  return (cause) => {
    if (!isUntrusted(cause)) return false;
    trusts ??= trustSystem();
    return trusts;
  };
}

/** Creates the runtime's `fetch`, which asks again once where more is trusted after a failure. */
export const createTrustingFetch =
  (trustMore: TrustMore): typeof fetch =>
  async (input, init) => {
    try {
      return await fetch(input, init);
    } catch (thrown) {
      // What streams was sent already.
      const isOnce = input instanceof Request || init?.body instanceof ReadableStream;
      if (isOnce || !(thrown instanceof Error) || !trustMore(thrown.cause)) throw thrown;
      return fetch(input, init);
    }
  };

/** Trusts the system's certificates too, in the whole process. Returns false when this Node cannot. Takes some 80 ms. */
function trustSystem(): boolean {
  if (typeof tls.setDefaultCACertificates !== 'function') return false;
  tls.setDefaultCACertificates([
    ...tls.getCACertificates('default'),
    ...tls.getCACertificates('system'),
  ]);
  return true;
}

/**
 * Presents the certificate of `CLAUDE_CODE_CLIENT_CERT` and `CLAUDE_CODE_CLIENT_KEY` (PEM files, with
 * `CLAUDE_CODE_CLIENT_KEY_PASSPHRASE` if it is locked) to servers that ask for one, and trusts the system's store
 * alone when the environment wants that. Call it after {@link useProxy}, which replaces the agent. Returns what went
 * wrong, for the user; null when nothing did.
 */
export function useCertificates(env: Env): string | null {
  const extra = extraCertificates(env);
  if (extra.ok) trust(certificateStores(env), extra.value);
  const client = presentCertificate(env);
  return extra.ok ? client : extra.error;
}

function trust(stores: ReadonlySet<'bundled' | 'system'>, extra: readonly string[]): void {
  if (typeof tls.setDefaultCACertificates !== 'function') return;
  const known = tls.getCACertificates('extra');
  if (!stores.has('bundled'))
    tls.setDefaultCACertificates([...tls.getCACertificates('system'), ...known, ...extra]);
  else if (extra.length > 0)
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...extra]);
}

function presentCertificate(env: Env): string | null {
  const files = {
    cert: env['CLAUDE_CODE_CLIENT_CERT'] ?? '',
    key: env['CLAUDE_CODE_CLIENT_KEY'] ?? '',
  };
  if (files.cert === '' && files.key === '') return null;
  if (files.cert === '' || files.key === '')
    return 'CLAUDE_CODE_CLIENT_CERT and CLAUDE_CODE_CLIENT_KEY only work together: set both.';
  const passphrase = env['CLAUDE_CODE_CLIENT_KEY_PASSPHRASE'] ?? '';
  try {
    const own = {
      cert: readFileSync(files.cert, 'utf8'),
      key: readFileSync(files.key, 'utf8'),
      ...(passphrase === '' ? {} : { passphrase }),
    };
    // Fails here for what cannot be used, rather than in the middle of a request.
    tls.createSecureContext(own);
    Object.assign(https.globalAgent.options, own);
    return null;
  } catch (thrown) {
    return `The client certificate cannot be used (${reasonOf(thrown)}). Check CLAUDE_CODE_CLIENT_CERT, CLAUDE_CODE_CLIENT_KEY and CLAUDE_CODE_CLIENT_KEY_PASSPHRASE.`;
  }
}

const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/**
 * Returns the certificates of `NODE_EXTRA_CA_CERTS` that Node did not read when it started, or what is wrong with that
 * file: only the login shell knew the variable, or Electron took it away.
 */
function extraCertificates(env: Env): Result<readonly string[], string> {
  const file = env['NODE_EXTRA_CA_CERTS'] ?? '';
  const read = process.versions['electron'] === undefined && process.env['NODE_EXTRA_CA_CERTS'];
  if (file === '' || file === read) return ok([]);
  try {
    const found = readFileSync(file, 'utf8').match(CERTIFICATE) ?? [];
    for (const certificate of found) new X509Certificate(certificate);
    if (found.length > 0) return ok(found);
    return err(`NODE_EXTRA_CA_CERTS names ${file}, which holds no certificate in PEM.`);
  } catch (thrown) {
    return err(`NODE_EXTRA_CA_CERTS cannot be used (${reasonOf(thrown)}). Check ${file}.`);
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The proxies of this process, under the names that Node's own proxy support takes. */
export interface ProxySettings {
  readonly http_proxy?: string;
  readonly https_proxy?: string;
  /** Hosts reached directly, separated by commas. */
  readonly no_proxy: string;
}

/** A proxy elsewhere cannot reach this machine, where local model servers live; one that runs here can. */
const THIS_MACHINE = ['localhost', '127.0.0.1', '::1'];

/**
 * Reads the proxy variables: `https_proxy` before `HTTPS_PROXY`, then `http_proxy`, `HTTP_PROXY`. Leaves out what is no
 * http(s) address, such as SOCKS. `NO_PROXY` may use commas or spaces; `*` means no proxy at all. Returns null when
 * none applies. Pure.
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

/** Names of variables that say how to reach the network; a user who set one has decided. */
const PROXY_NAMES = [
  'http_proxy',
  'HTTP_PROXY',
  'https_proxy',
  'HTTPS_PROXY',
  'all_proxy',
  'ALL_PROXY',
];

/** Time for the system to say which proxy it uses: its script may lie on a server that does not answer. Milliseconds. */
const PROXY_MS = 5000;

/**
 * Returns the environment with the proxy of the system's settings, or of their script, when no variable names one. It is
 * that for the model's address, and counts for all others. `ask` answers like a proxy script: `PROXY host:port; DIRECT`.
 */
export async function findProxy(
  env: Env,
  ask: ((url: string) => Promise<string>) | undefined,
): Promise<{ readonly env: Env; readonly problem: SettingsProblem | null }> {
  const decided = PROXY_NAMES.some((name) => env[name]) || proxySettings(env) !== null;
  if (ask === undefined || decided) return { env, problem: null };
  const complaint = (message: string) => ({
    env,
    problem: { file: 'proxy settings of the system', message, level: 'warning' as const },
  });
  const url = env['ANTHROPIC_BASE_URL'] || 'https://api.anthropic.com';
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), PROXY_MS);
  const answer = await Promise.race([ask(url).catch(() => null), late.promise]);
  clearTimeout(timer);
  if (answer === null)
    return complaint(
      'The system did not say which proxy it uses, so none is used. Set HTTPS_PROXY to name one.',
    );
  const proxy = proxyIn(answer);
  if (proxy === null) return { env, problem: null };
  if (proxy === 'unusable')
    return complaint(
      `The system's proxy (${answer.slice(0, 200)}) is of a kind that Lathe cannot use, so none is used. Set HTTPS_PROXY to an HTTP proxy.`,
    );
  return { env: { ...env, http_proxy: proxy, https_proxy: proxy }, problem: null };
}

/** Returns the address of the first proxy that can be used in a proxy script's answer; null for none. Pure. */
export function proxyIn(answer: string): string | null {
  const ways = answer.split(';').map((way) => way.trim().split(/\s+/));
  for (const [kind = '', host = ''] of ways) {
    if (/^direct$/i.test(kind)) return null;
    if (/^https?$|^proxy$/i.test(kind) && host !== '')
      return `${/^https$/i.test(kind) ? 'https' : 'http'}://${host}`;
  }
  return ways.some(([kind]) => kind !== '') ? 'unusable' : null;
}

/**
 * Sends this process's requests through the proxy of the environment, with Node's own support. Returns a function that
 * undoes it; null when a proxy is set that this Node cannot use. Node reads `NODE_EXTRA_CA_CERTS` itself.
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

/** Tells whether a request to this address goes through the proxy of the environment. Pure. */
export function goesThroughProxy(env: Env, url: URL): boolean {
  const settings = proxySettings(env);
  if (settings === null) return false;
  const used = url.protocol === 'https:' ? settings.https_proxy : settings.http_proxy;
  return used !== undefined && !settings.no_proxy.split(',').some((rule) => isDirect(rule, url));
}

/** Tells whether an entry of `NO_PROXY` (a host, or a domain with what is under it, with or without a port) covers a URL. */
function isDirect(rule: string, url: URL): boolean {
  const [, name = '', port = ''] = /^(.*?)(?::(\d+))?$/.exec(rule.toLowerCase()) ?? [];
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, '');
  if (rule === host) return true;
  const bare = name.replace(/^\*?\./, '');
  const own = url.port || (url.protocol === 'https:' ? '443' : '80');
  return (port === '' || port === own) && (host === bare || host.endsWith(`.${bare}`));
}
