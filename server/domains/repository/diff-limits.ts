import type { Ctx } from '../../ctx.ts'
import type { DiffLimits } from '../../git/read/diff.ts'
import { settingsOf } from '../settings/index.ts'

/** How much of a difference is shown, as the settings say (spec administration 1.2). */
export function diffLimits(ctx: Pick<Ctx, 'db' | 'now'>): DiffLimits {
  const settings = settingsOf(ctx)
  return {
    max_files: settings.diff_max_files,
    max_lines: settings.diff_max_lines,
    max_file_bytes: settings.diff_max_patch_bytes,
  }
}
