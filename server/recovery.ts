import type { Ctx } from './ctx.ts'
import { recoverBackups } from './domains/backups/index.ts'
import { sweepGroupTransfers } from './domains/import_export/index.ts'
import { sweepArchives } from './domains/import_export/index.ts'
import { recoverMerges } from './domains/merge_requests/index.ts'
import { recoverJournal } from './domains/repository/index.ts'
import { removeUnfinishedSnippets } from './domains/snippets/index.ts'
import { sweepExports } from './domains/import_export/index.ts'
import { sweepAfterCrash } from './git/leftovers.ts'
import type { Git } from './git/types.ts'
import type { JobRunner } from './jobs/runner.ts'
import type { Logger } from './lib/log.ts'

/** Nothing that a killed instance left in repositories may stand in the way of what comes. To be called before git is used. */
export async function sweepRepositories(git: Git, log: Logger): Promise<void> {
  const { problems, ...swept } = await sweepAfterCrash(git)
  if (swept.survivors > 0) log.warn(swept, 'programs of the instance before could not be ended')
  else if (swept.repositories > 0) log.info(swept, 'repositories were tidied up after a crash')
  for (const { gitDir, error } of problems)
    log.error({ err: error, gitDir }, 'a repository could not be tidied up')
}

/** Refs and merges that an instance left unfinished when it ended: what moved is told now. */
export async function recoverRefs(ctx: Ctx): Promise<void> {
  await recoverJournal(ctx)
  await recoverMerges(ctx)
}

/** Everything else that may be half done. Afterwards rows and files agree, and what was begun is finished. */
export async function recoverRest(ctx: Ctx, runner: JobRunner): Promise<void> {
  await recoverBackups(ctx)
  await sweepArchives(ctx)
  await sweepGroupTransfers(ctx)
  await sweepExports(ctx)
  await removeUnfinishedSnippets(ctx, ctx.now)
  await runner.resume()
}
