import { readDiff, type Diff } from '../../../../git/diff.ts'
import { repoOf } from '../../../projects/index.ts'
import type { Occasion } from '../occasion.ts'
import { isBlank, type PushPayload } from '../payload.ts'

/** What a mail has of diffs. */
const LIMITS = { max_files: 100, max_lines: 2000, max_bytes: 100_000, max_file_bytes: 50_000 }

/** What a push changed; undefined for new and removed branches, and where a side of it is gone. */
export async function diffOf({ ctx, project }: Occasion, push: PushPayload): Promise<Diff | undefined> {
  if (isBlank(push.before) || isBlank(push.after)) return undefined
  try {
    return await readDiff(repoOf(ctx, project), { from: push.before, to: push.after }, LIMITS)
  } catch (error) {
    ctx.log.warn({ err: error, project: project.id }, 'a diff for a mail could not be read')
    return undefined
  }
}
