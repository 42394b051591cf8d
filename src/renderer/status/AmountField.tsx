import { useEffect, useRef, useState } from 'react';
import { TextField } from '../ui/Fields';
import { type Amount, readAmount } from './model-menu';

/** A number that takes effect on Enter, when the focus leaves, and when the menu closes. */
export function AmountField({
  kind,
  label,
  value,
  disabled = false,
  onChange,
}: {
  readonly kind: Amount;
  readonly label: string;
  readonly value: number | null;
  readonly disabled?: boolean;
  readonly onChange: (value: number | null) => void;
}) {
  const [typed, setTyped] = useState(textOf(value));
  const [known, setKnown] = useState(value);
  const [left, setLeft] = useState(false);
  const asked = useRef(value);
  if (known !== value) {
    setKnown(value);
    setTyped(textOf(value));
  }
  useEffect(() => {
    asked.current = value;
  }, [value]);
  const read = readAmount(kind, typed);
  const commit = () => {
    if (!read.ok || read.value === asked.current) return;
    asked.current = read.value;
    onChange(read.value);
  };
  const latest = useRef(commit);
  useEffect(() => {
    latest.current = commit;
  });
  useEffect(() => () => latest.current(), []);
  return (
    <TextField
      label={label}
      value={typed}
      disabled={disabled}
      inputMode={kind === 'dollars' ? 'decimal' : 'numeric'}
      placeholder={kind === 'tokens' ? '' : 'No limit'}
      onChange={(text) => {
        setTyped(text);
        setLeft(false);
      }}
      onBlur={() => {
        setLeft(true);
        commit();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
        setLeft(true);
        commit();
      }}
      {...(left && !read.ok ? { error: read.error } : {})}
    />
  );
}

const textOf = (value: number | null): string => (value === null ? '' : String(value));
