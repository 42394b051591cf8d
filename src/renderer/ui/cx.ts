/** Joins class names; false, null, undefined and '' are left out. */
export const cx = (...names: readonly (string | false | null | undefined)[]): string =>
  names.filter(Boolean).join(' ');
