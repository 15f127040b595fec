import { existsSync } from 'node:fs'

import type { Ctx } from '../../../ctx.ts'
import { GitError } from '../../../git/errors.ts'
import type { Failure } from '../../../lib/fail.ts'
import { folderGone } from '../../../lib/storage-problem.ts'
import { storageFolder, storagesOf } from './storages.ts'

/** A storage whose folder is not there: programs that run on find nothing in it, and say that there is nothing. */
export function storageGone(ctx: Pick<Ctx, 'config' | 'db'>, name: string): Failure | undefined {
  return existsSync(storageFolder(ctx, name)) ? undefined : folderGone()
}

/**
 * Why git finds no repository: the folder of a storage is gone, as when its disk is not mounted. Undefined where they are all
 * there, for errors about something else, too.
 */
export function missingStorage(ctx: Pick<Ctx, 'config' | 'db'>, error: unknown): Failure | undefined {
  if (!(error instanceof GitError && error.isRepositoryMissing)) return undefined
  return storagesOf(ctx).every(({ folder }) => existsSync(folder)) ? undefined : folderGone()
}
