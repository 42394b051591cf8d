import { readFileSync } from 'node:fs';
import https from 'node:https';
import tls from 'node:tls';

type Env = Readonly<Record<string, string | undefined>>;

/** Node's words for a certificate that nobody it trusts has signed. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Whether a connection failed because the server's certificate is not trusted. */
export const isUntrusted = (cause: Error): boolean =>
  UNTRUSTED.has(String(Reflect.get(cause, 'code')));

/**
 * Which certificates are trusted beside `NODE_EXTRA_CA_CERTS`, as `CLAUDE_CODE_CERT_STORE` says: those that come with
 * Node, those of the system, or (the default) both. Words it does not know are left out. Pure.
 */
export function certificateStores(env: Env): ReadonlySet<'bundled' | 'system'> {
  const named = (env['CLAUDE_CODE_CERT_STORE'] ?? '').toLowerCase().split(/[\s,]+/);
  const known = (['bundled', 'system'] as const).filter((store) => named.includes(store));
  return new Set(known.length === 0 ? ['bundled', 'system'] : known);
}

/** Trusts the system's certificates too, in the whole process; false when this Node cannot. Takes some 80 ms. */
export function trustSystem(): boolean {
  if (typeof tls.setDefaultCACertificates !== 'function') return false;
  tls.setDefaultCACertificates([
    ...tls.getCACertificates('default'),
    ...tls.getCACertificates('system'),
  ]);
  return true;
}

/**
 * Shows the certificate of `CLAUDE_CODE_CLIENT_CERT` and `CLAUDE_CODE_CLIENT_KEY` (PEM files, with
 * `CLAUDE_CODE_CLIENT_KEY_PASSPHRASE` if it is locked) to servers that ask for one, and trusts the system's store
 * alone when the environment wants that. Comes after proxies, which replace the agent. Gives what went wrong, for a
 * person; null: nothing.
 */
export function useCertificates(env: Env): string | null {
  const stores = certificateStores(env);
  if (!stores.has('bundled') && typeof tls.setDefaultCACertificates === 'function')
    tls.setDefaultCACertificates([
      ...tls.getCACertificates('system'),
      ...tls.getCACertificates('extra'),
    ]);
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
    // What cannot be used is better found out here than in the middle of a request.
    tls.createSecureContext(own);
    Object.assign(https.globalAgent.options, own);
    return null;
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return `The client certificate cannot be used (${why}). Check CLAUDE_CODE_CLIENT_CERT, CLAUDE_CODE_CLIENT_KEY and CLAUDE_CODE_CLIENT_KEY_PASSPHRASE.`;
  }
}
