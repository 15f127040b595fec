import { sweepAfterCrash } from './git/upkeep/leftovers.ts'
import type { Git } from './git/types.ts'
import type { Logger } from './lib/log.ts'

/** Removes leftovers of a killed instance from repositories. Call it before git is used. */
export async function sweepRepositories(git: Git, log: Logger): Promise<void> {
  const { problems, ...swept } = await sweepAfterCrash(git)
  if (swept.survivors > 0) log.warn(swept, 'programs of the previous instance could not be ended')
  else if (swept.repositories > 0) log.info(swept, 'repositories were cleaned up after a crash')
  for (const { gitDir, error } of problems)
    log.error({ err: error, gitDir }, 'a repository could not be cleaned up')
}
