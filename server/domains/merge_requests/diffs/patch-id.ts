import { createHash } from 'node:crypto'

import type { FileDiff } from '../../../git/diff.ts'

/**
 * Names a change whatever it stands on, as `git patch-id` does: neither line numbers nor white space count. Files whose
 * text is not at hand (binary, too large) count by their content before and after.
 */
export function patchId(files: readonly FileDiff[]): string {
  const hash = createHash('sha1')
  for (const file of files) {
    hash.update(`${file.old_path}\0${file.new_path}\0${file.a_mode}\0${file.b_mode}\0`)
    hash.update(isText(file) ? textOf(file.diff) : `${file.old_id}\0${file.new_id}`)
    hash.update('\0')
  }
  return hash.digest('hex')
}

function isText(file: FileDiff): boolean {
  return !file.binary && !file.too_large && !file.collapsed
}

function textOf(diff: string): string {
  return diff.replace(/^@@ .*$/gm, '').replace(/\s+/g, '')
}
