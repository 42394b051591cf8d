/**
 * Returns the target of a link as a user judges it: an address in the form in which it is opened, so that no look-alike
 * host passes for another, and without the name before an `@`, which looks like one. Pure.
 */
export function shownTarget(target: string): string {
  if (!/^https?:/i.test(target) || !URL.canParse(target)) return target;
  const { href, protocol, host, username, password } = new URL(target);
  if (username === '' && password === '') return href;
  return `${protocol}//…@${host}${href.slice(href.indexOf('@') + 1 + host.length)}`;
}
