import type { PermissionRule } from '../../../shared/permission';
import type { PermissionRequest } from './request';

/**
 * Returns the permission that reading a web address needs. Its rules are `domain:<host>`: lower
 * case, without port.
 */
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

/** Returns the host of a URL as rules name it: `x.io.` is `x.io`. */
export const hostOf = (url: URL): string => url.hostname.toLowerCase().replace(/\.$/, '');

/**
 * Tells whether an allow rule names this very host: somebody wrote it down, so it may be one of the
 * local network.
 */
export const namesHost = (rules: readonly PermissionRule[], host: string): boolean =>
  rules.some(
    ({ behavior, text }) =>
      behavior === 'allow' && text.toLowerCase() === `webfetch(domain:${host})`,
  );

/**
 * Tells whether a host, as written in a URL (WHATWG form: lower case, IPv4 numbers in plain form,
 * IPv6 in brackets), can only be this machine or its local network. A name of the public DNS may
 * lead there too: that is seen when connecting.
 */
export function isPrivateHost(host: string): boolean {
  const name = host.replace(/\.$/, '');
  if (/^\[.*\]$/.test(name) || isIpv4(name)) return isPrivateAddress(name.replace(/[[\]]/g, ''));
  return !name.includes('.') || PRIVATE_NAMES.some((suffix) => name.endsWith(suffix));
}

/** Names that no public server has: RFC 6761, 6762, 8375, and what routers and clouds use inside. */
const PRIVATE_NAMES = ['.localhost', '.local', '.localdomain', '.internal', '.home.arpa', '.lan'];

/**
 * Tells whether an IP address is not one of the public internet: loopback, private, link-local
 * (cloud metadata), shared, multicast, documentation, reserved (RFC 6890 and the IANA
 * special-purpose registries). IPv6 forms that hold an IPv4 address are judged by it. What cannot
 * be read counts as private.
 */
export function isPrivateAddress(address: string): boolean {
  if (isIpv4(address)) return inAny(ipv4Value(address), 32, PRIVATE_IPV4);
  const value = ipv6Value(address.replace(/%.*$/, ''));
  if (value === null) return true;
  const inner = embeddedIpv4(value);
  if (inner !== null) return inAny(inner, 32, PRIVATE_IPV4);
  return !inAny(value, 128, [GLOBAL_IPV6]) || inAny(value, 128, SPECIAL_IPV6);
}

type Block = readonly [start: bigint, prefix: number];

const PRIVATE_IPV4: readonly Block[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
].map((block) => {
  const [start = '', prefix] = block.split('/');
  return [ipv4Value(start), Number(prefix)];
});

/** Everything global lives in 2000::/3. */
const GLOBAL_IPV6: Block = [0x2000n << 112n, 3];
/** Parts of 2000::/3 that are not the public internet: protocol assignments (Teredo too), documentation. */
const SPECIAL_IPV6: readonly Block[] = [
  [0x2001n << 112n, 23],
  [0x20010db8n << 96n, 32],
  [0x3fffn << 112n, 20],
];

const inAny = (value: bigint, bits: number, blocks: readonly Block[]): boolean =>
  blocks.some(([start, prefix]) => {
    const shift = BigInt(bits - prefix);
    return value >> shift === start >> shift;
  });

const isIpv4 = (text: string): boolean =>
  /^\d{1,3}(\.\d{1,3}){3}$/.test(text) && text.split('.').every((part) => Number(part) <= 255);

function ipv4Value(text: string): bigint {
  return text.split('.').reduce((value, part) => (value << 8n) + BigInt(part), 0n);
}

function ipv6Value(text: string): bigint | null {
  const dotted = /^(.*:)(\d+(?:\.\d+){3})$/.exec(text);
  if (dotted && !isIpv4(dotted[2] ?? '')) return null;
  const tail = dotted ? ipv4Value(dotted[2] ?? '') : 0n;
  const plain = dotted
    ? `${dotted[1]}${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`
    : text;
  const halves = plain.split('::');
  if (halves.length > 2) return null;
  const [head = [], rest = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - rest.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null;
  const groups = [...head, ...new Array<string>(missing).fill('0'), ...rest];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null;
  return groups.reduce((value, group) => (value << 16n) + BigInt(`0x${group}`), 0n);
}

/**
 * Returns the IPv4 address inside ::ffff:0:0/96, ::/96, 64:ff9b::/96 or 2002::/16; null for other
 * addresses.
 */
function embeddedIpv4(value: bigint): bigint | null {
  const high = value >> 32n;
  if (high === 0xffffn || high === 0x64ff9bn << 64n) return value & 0xffffffffn;
  if (high === 0n && value > 1n) return value & 0xffffffffn;
  return value >> 112n === 0x2002n ? (value >> 80n) & 0xffffffffn : null;
}
