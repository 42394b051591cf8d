/**
 * The page's content security policy (THREATS 9). `connect` names where it may open sockets, besides its own
 * origin. Styles may be inline because xterm and the component kit inject them; scripts never.
 */
export const contentSecurityPolicy = (connect: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "worker-src 'self' blob:",
    ["connect-src 'self'", ...connect].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ');

/** Headers of everything a host serves to its page. */
export const pageHeaders = (connect: readonly string[]): Record<string, string> => ({
  'content-security-policy': contentSecurityPolicy(connect),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), usb=(), serial=(), payment=()',
});
