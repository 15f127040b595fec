import type { Ctx } from '../../../../ctx.ts'
import type { FileLimit } from '../../../../http/endpoint.ts'
import { fail } from '../../../../lib/fail.ts'
import { settingsOf } from '../../../settings/index.ts'
import { checkSource } from './begin.ts'

const MB = 1024 * 1024
/** Larger than any disk. */
const ANY_SIZE = 2 ** 50

/** Imports that one user may begin in a minute, of all kinds together (setting project_import_limit). */
export const importLimit = {
  max: 6,
  per: 60,
  together: 'project_import',
  maxOf: (ctx: Ctx) => settingsOf(ctx).project_import_limit,
}

/** How large an uploaded archive may be. Asked before anything is stored, so that strangers fill no disk. */
export function uploadLimit(ctx: Ctx): FileLimit {
  if (ctx.actor.kind === 'anonymous') throw fail('unauthorized')
  checkSource(ctx)
  const { max_import_size: most } = settingsOf(ctx)
  return { most: most === 0 ? ANY_SIZE : most * MB, tooLarge: `File is larger than ${most} MB` }
}
