import { readFile } from 'node:fs/promises'

import type { Ctx } from '../../ctx.ts'
import { isBranchName } from '../../git/names.ts'
import { branchTip } from '../../git/revisions.ts'
import type { UploadedFile } from '../../http/upload.ts'
import { fail } from '../../lib/fail.ts'
import { commitTo } from './commit.ts'
import type { AttachmentView } from './entity.ts'
import { requestSize } from './size.ts'
import type { WikiOwner } from './wiki.ts'

/** Longest name in bytes; a file name on disk has no more. */
const MAX_NAME = 255

/**
 * A name as pages can hold it (spec administration 10.2): letters, digits, `.`, `-`, `+` and `_` of any script, at most
 * 255 bytes, cut before the extension. Throws 400 for none.
 */
export function attachmentName(given: string): string {
  const last = given.replaceAll('\\', '/').split('/').at(-1)!
  const clean = last.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}_.+-]/gu, '_')
  if (clean === '' || clean === '.' || clean === '..')
    throw fail('bad_request', 'The file name cannot be empty')
  const extension = /\.[^.]{1,30}$/.exec(clean)?.[0] ?? ''
  let stem = clean.slice(0, clean.length - extension.length)
  while (Buffer.byteLength(stem + extension) > MAX_NAME) stem = [...stem].slice(0, -1).join('')
  return stem + extension
}

/** Commits a file below `uploads/`, under an address that nobody can guess. Throws 400 for a branch that is not there. */
export async function attachFile(
  ctx: Ctx,
  owner: WikiOwner,
  { file, branch }: { readonly file: UploadedFile; readonly branch?: string | undefined },
): Promise<AttachmentView> {
  const file_name = attachmentName(file.filename)
  const file_path = `uploads/${ctx.random.hex(16)}/${file_name}`
  const content = await readFile(file.path)
  if (branch && !isBranchName(branch)) throw noBranch()
  return commitTo(ctx, owner, branch || undefined, async ({ wiki, repo, tip }) => {
    const isElsewhere = tip === null && branch && branch !== wiki.default_branch
    if (isElsewhere && (await branchTip(repo, wiki.default_branch)) !== null) throw noBranch()
    return {
      actions: [{ action: 'create', path: file_path, content }],
      message: `Upload attachment ${file_name}`,
      result: { file_name, file_path, branch: branch || wiki.default_branch },
      record: () => requestSize(ctx, wiki.id),
    }
  })
}

function noBranch(): Error {
  return fail('bad_request', 'You can only create or edit files when you are on a branch')
}
