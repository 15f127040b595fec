import { expect, test } from 'vitest'

import { patchId } from '../../../server/domains/merge_requests/diffs/version.ts'
import { fillTemplate } from '../../../server/domains/merge_requests/merging/messages.ts'
import type { FileDiff } from '../../../server/git/read/diff.ts'

const params = {
  title: () => 'A change',
  description: () => '',
  issues: async () => '',
  dollar: () => '$& %{title}',
}

test('placeholders are filled, and lines that become empty are removed', async () => {
  expect(await fillTemplate('%{title}\n\n%{issues}\n\nSee %{title}', params)).toBe('A change\n\nSee A change')
  expect(await fillTemplate('%{title}\r\n%{description}\r\nEnd', params)).toBe('A change\nEnd')
  expect(await fillTemplate('%{description}\n%{title}', params)).toBe('A change')
  // In the middle of a line only the placeholder is removed.
  expect(await fillTemplate('a %{issues} b\n', params)).toBe('a  b')
  expect(await fillTemplate('%{nobody} %{constructor}', params)).toBe('%{nobody} %{constructor}')
  // The value of a placeholder is not expanded again.
  expect(await fillTemplate('%{dollar}', params)).toBe('$& %{title}')
})

const file = (diff: string, more: Partial<FileDiff> = {}): FileDiff => ({
  old_path: 'a.txt',
  new_path: 'a.txt',
  a_mode: '100644',
  b_mode: '100644',
  old_id: '1',
  new_id: '2',
  new_file: false,
  renamed_file: false,
  deleted_file: false,
  binary: false,
  diff,
  additions: 1,
  deletions: 1,
  too_large: false,
  collapsed: false,
  ...more,
})

test('a change has the same patch ID in every position', () => {
  const id = patchId([file('@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n')])
  expect(patchId([file('@@ -9,2 +11,2 @@ head\n one\n-two\n+TWO\n', { old_id: '7', new_id: '8' })])).toBe(id)
  expect(patchId([file('@@ -1,2 +1,2 @@\n one\n-two\n+three\n')])).not.toBe(id)
  expect(patchId([file('@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n', { new_path: 'b.txt' })])).not.toBe(id)
  expect(patchId([file('@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n', { b_mode: '100755' })])).not.toBe(id)
  // Without a text diff, the contents identify the change.
  const binary = { binary: true, new_id: '3' }
  expect(patchId([file('Binary files differ\n', binary)])).toBe(patchId([file('', binary)]))
  expect(patchId([file('', binary)])).not.toBe(patchId([file('', { ...binary, new_id: '4' })]))
})
