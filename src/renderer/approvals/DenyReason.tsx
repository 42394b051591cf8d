import { useState } from 'react';
import { Button } from '../ui/Button';
import { TextField } from '../ui/TextField';

/** Refuses with words that go to the model. */
export function DenyReason({
  busy,
  onDeny,
  onCancel,
}: {
  readonly busy: boolean;
  readonly onDeny: (message: string) => void;
  readonly onCancel: () => void;
}) {
  const [message, setMessage] = useState('');
  return (
    <form
      aria-label="Deny and say why"
      className="mt-3 flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onDeny(message);
      }}
    >
      <TextField
        label="What should Lathe do instead?"
        value={message}
        onChange={setMessage}
        autoFocus
        placeholder="Lathe reads this and goes on from there"
      />
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Back</Button>
        <Button type="submit" variant="primary" disabled={busy}>
          {message.trim() === '' ? 'Deny' : 'Deny and tell'}
        </Button>
      </div>
    </form>
  );
}
